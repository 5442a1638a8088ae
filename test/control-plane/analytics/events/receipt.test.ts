import test from 'ava';
import fc from 'fast-check';
import { acceptItems, type ItemOutcome } from '#control-plane/analytics/events/accept.ts';
import type { ItemError } from '#control-plane/analytics/events/event.ts';
import { receiptOf } from '#control-plane/analytics/events/receipt.ts';
import type { Written } from '#control-plane/analytics/events/store.ts';

const rules = { projectId: 'proj_1', source: 'server', nowMs: Date.UTC(2026, 10, 21), unclean: false } as const;
const valid = acceptItems([{ name: 'a' }], rules, () => '')[0] as ItemOutcome;
const error: ItemError = { index: 0, pointer: '/0/name', code: 'required', detail: 'is required' };
const invalid: ItemOutcome = { errors: [error] };
const stored = (id: string): Written => ({ id, duplicate: false });
const duplicate = (id: string): Written => ({ id, duplicate: true });
const unstorable: ItemError = { index: 0, pointer: '/0', code: 'format', detail: 'could not be stored' };

type Counts = [accepted: number, duplicates: number, rejected: number];
const cases: [
  title: string,
  outcomes: ItemOutcome[],
  written: Written[],
  counts: Counts,
  ids: (string | null)[],
  errors: ItemError[],
][] = [
  ['no items', [], [], [0, 0, 0], [], []],
  ['a new event', [valid], [stored('e1')], [1, 0, 0], ['e1'], []],
  ['a duplicate has the id of the first', [valid], [duplicate('e0')], [0, 1, 0], ['e0'], []],
  ['an invalid item', [invalid], [], [0, 0, 1], [null], [error]],
  ['an event that the database rejects', [valid], [null], [0, 0, 1], [null], [unstorable]],
  [
    'invalid items have no entry among the written ones',
    [valid, invalid, valid, valid],
    [stored('e1'), null, duplicate('e2')],
    [1, 1, 2],
    ['e1', null, null, 'e2'],
    [error, { ...unstorable, index: 2, pointer: '/2' }],
  ],
  ['several errors of one item', [{ errors: [error, error] }], [], [0, 0, 1], [null], [error, error]],
];

for (const [title, outcomes, written, [accepted, duplicates, rejected], event_ids, errors] of cases)
  test(`receipt: ${title}`, t => {
    const { receipt_id, ...receipt } = receiptOf(outcomes, written);
    t.regex(receipt_id, /^rcp_[0-9a-z]{26}$/);
    t.deepEqual(receipt, { received: outcomes.length, accepted, duplicates, rejected, event_ids, errors });
  });

test('every item is accepted, a duplicate or rejected, and has an id unless it is rejected', t => {
  const item = fc.constantFrom('invalid', 'stored', 'duplicate', 'unstorable');
  fc.assert(
    fc.property(fc.array(item, { maxLength: 30 }), kinds => {
      const outcomes = kinds.map(kind => (kind === 'invalid' ? invalid : valid));
      const written = kinds.flatMap((kind, index): Written[] => {
        if (kind === 'invalid') return [];
        return [kind === 'unstorable' ? null : { id: `e${index}`, duplicate: kind === 'duplicate' }];
      });
      const receipt = receiptOf(outcomes, written);
      const count = (...wanted: string[]) => kinds.filter(kind => wanted.includes(kind)).length;
      t.is(receipt.received, kinds.length);
      t.is(receipt.accepted, count('stored'));
      t.is(receipt.duplicates, count('duplicate'));
      t.is(receipt.rejected, count('invalid', 'unstorable'));
      t.is(receipt.errors.length, receipt.rejected);
      const ids = kinds.map((kind, index) => (kind === 'stored' || kind === 'duplicate' ? `e${index}` : null));
      t.deepEqual(receipt.event_ids, ids);
    }),
  );
});
