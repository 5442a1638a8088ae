import test from 'ava';
import fc from 'fast-check';
import { compareRows } from '#control-plane/monitoring/verdicts/row-changes.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';

const row = (since: number, verdict: VerdictChange['verdict'], changes: Partial<VerdictChange> = {}) => ({
  since,
  verdict,
  votes: { a: 'up' as const },
  configVersion: 1,
  ...changes,
});

const decision = {
  at: 1,
  cause: 'vote' as const,
  quorum: 1,
  ballots: { a: { vote: 'up' as const, since: 1, as_of: 2, expires_at: 3, counted: true } },
};

/** What would be deleted and inserted, in all portions. */
function compare(before: readonly VerdictChange[], rows: readonly VerdictChange[], portion?: number) {
  const portions = [...compareRows(before, rows, portion)];
  return { gone: portions.flatMap(({ gone }) => gone), added: portions.flatMap(({ added }) => added) };
}

const stored = [row(1, 'up'), row(50, 'down'), row(70, 'up')];
for (const [title, rows, gone, added] of [
  ['nothing differs', [row(1, 'up'), row(50, 'down'), row(70, 'up')], [], []],
  ['a row moved', [row(1, 'up'), row(40, 'down'), row(70, 'up')], [50], [40]],
  ['a verdict differs', [row(1, 'up'), row(50, 'degraded'), row(70, 'up')], [50], [50]],
  ['a row was added', [row(1, 'up'), row(50, 'down'), row(60, 'degraded'), row(70, 'up')], [], [60]],
  ['rows were added at the end', [...stored, row(80, 'down'), row(90, 'up')], [], [80, 90]],
  ['a row is missing now', [row(1, 'up'), row(50, 'down')], [70], []],
  ['all are missing now', [], [1, 50, 70], []],
  ['a vote differs', [row(1, 'up'), row(50, 'down', { votes: { a: 'down' } }), row(70, 'up')], [50], [50]],
  ['a version differs', [row(1, 'up', { configVersion: 2 }), row(50, 'down'), row(70, 'up')], [1], [1]],
  ['how it was decided is known now', [row(1, 'up'), row(50, 'down', { decision }), row(70, 'up')], [50], [50]],
  ['a decision is none either way', [row(1, 'up', { decision: null }), row(50, 'down'), row(70, 'up')], [], []],
] as const) {
  const [deleted, inserted] = [gone, added].map(starts => starts.join(' and ') || 'none');
  test(`rows ${deleted} are deleted and ${inserted} inserted if ${title}`, t => {
    const changes = compare(stored, rows);
    t.deepEqual(changes.gone, [...gone]);
    t.deepEqual(
      changes.added,
      rows.filter(({ since }) => (added as readonly number[]).includes(since)),
    );
  });
}

test('a ballot is part of a row', t => {
  const before = [row(1, 'up', { decision })];
  const later = { ...decision, ballots: { a: { ...decision.ballots.a, as_of: 3 } } };
  t.deepEqual(compare(before, [row(1, 'up', { decision: structuredClone(decision) })]), { gone: [], added: [] });
  t.deepEqual(compare(before, [row(1, 'up', { decision: later })]).gone, [1]);
});

const rows = fc
  .uniqueArray(
    fc.record({
      since: fc.nat({ max: 40 }),
      verdict: fc.constantFrom('up' as const, 'down' as const),
      votes: fc.constantFrom({ a: 'up' as const }, { a: 'down' as const }),
      configVersion: fc.constantFrom(1, 2),
    }),
    { selector: ({ since }) => since, maxLength: 30 },
  )
  .map(unordered => unordered.toSorted((left, right) => left.since - right.since));

test('with the changes written the history is the new one, whatever the portions, and nothing is written twice', t => {
  fc.assert(
    fc.property(rows, rows, fc.integer({ min: 1, max: 50 }), (before, after, portion) => {
      const history = new Map(before.map(row => [row.since, row]));
      for (const { gone, added } of compareRows(before, after, portion)) {
        for (const since of gone) t.true(history.delete(since));
        for (const row of added) {
          t.false(history.has(row.since));
          history.set(row.since, row as (typeof before)[number]);
        }
      }
      const written = [...history.values()].sort((left, right) => left.since - right.since);
      t.deepEqual(written, after);
      const { gone, added } = compare(before, after, portion);
      const isStored = (row: VerdictChange) => before.some(other => JSON.stringify(other) === JSON.stringify(row));
      t.false(added.some(isStored));
      t.is(
        gone.length,
        before.filter(row => !after.some(other => JSON.stringify(other) === JSON.stringify(row))).length,
      );
    }),
  );
});

test('portions compare a bounded number of rows', t => {
  const many = Array.from({ length: 20_000 }, (_, index) => row(index, index % 2 === 0 ? 'up' : 'down'));
  const moved = many.map(row => ({ ...row, since: row.since + 0.5 }));
  for (const { gone, added } of compareRows(many, moved)) t.true(gone.length + added.length <= 10_000);
  t.is([...compareRows(many, many)].length, 4);
});
