import test from 'ava';
import fc from 'fast-check';
import { type AcceptRules, acceptItems, clockLag, type ItemOutcome } from '#control-plane/analytics/events/accept.ts';
import { actorOf, createActorMemory } from '#control-plane/analytics/events/actor.ts';
import { eventSchema, identifySchema } from '#control-plane/analytics/events/event.ts';

const nowMs = Date.UTC(2026, 10, 21, 12);
const rules: AcceptRules = { projectId: 'proj_x', source: 'server', nowMs, unclean: true };
const accept = (item: unknown, changes: Partial<AcceptRules> = {}): ItemOutcome =>
  acceptItems([item], { ...rules, ...changes }, index => `/${index}`)[0] as ItemOutcome;
const faults = (item: unknown, changes: Partial<AcceptRules> = {}): string[] => {
  const outcome = accept(item, changes);
  return 'event' in outcome ? [] : outcome.errors.map(error => `${error.pointer} ${error.code}`);
};
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, key) => [`k${key}`, key]));

const refused: [title: string, item: unknown, expected: string[]][] = [
  ['no object', 'text', ['/0 type']],
  ['null', null, ['/0 type']],
  ['an array', [[]], ['/0 type']],
  ['no name', {}, ['/0/name required']],
  ['a name of another type', { name: 5 }, ['/0/name type']],
  ['a name of blanks', { name: ' \t ' }, ['/0/name too_short']],
  ['a name too long', { name: 'a'.repeat(201) }, ['/0/name too_long']],
  ['a control character in the name', { name: 'a\u0007b' }, ['/0/name format']],
  ['an unknown type', { name: 'a', type: 'page' }, ['/0/type enum']],
  ['a release', { name: 'a', type: 'release' }, ['/0/type release_not_ingestible']],
  ['a user id that is a number', { name: 'a', external_user_id: 5 }, ['/0/external_user_id type']],
  ['an empty user id', { name: 'a', external_user_id: '' }, ['/0/external_user_id too_short']],
  ['a user id too long', { name: 'a', external_user_id: 'x'.repeat(201) }, ['/0/external_user_id too_long']],
  ['a session id too long', { name: 'a', session_id: 'x'.repeat(201) }, ['/0/session_id too_long']],
  ['a dedup id too long', { name: 'a', dedup_id: 'x'.repeat(101) }, ['/0/dedup_id too_long']],
  ['a time without an offset', { name: 'a', timestamp: '2026-11-21T12:00:00' }, ['/0/timestamp format']],
  ['a time as a number', { name: 'a', timestamp: 1_700_000_000 }, ['/0/timestamp type']],
  ['a time over an hour ahead', { name: 'a', timestamp: '2026-11-21T13:00:00.001Z' }, ['/0/timestamp in_future']],
  ['a time before 2000', { name: 'a', timestamp: '1999-12-31T23:59:59.999Z' }, ['/0/timestamp out_of_range']],
  ['props that are a list', { name: 'a', props: [] }, ['/0/props type']],
  ['props too deep', { name: 'a', props: nested(11) }, ['/0/props too_long']],
  ['props with too many keys', { name: 'a', props: wide(256) }, ['/0/props too_long']],
  ['props with too many keys below', { name: 'a', props: { a: wide(200), b: wide(100) } }, ['/0/props too_long']],
  ['an event too large', { name: 'a', props: { a: 'x'.repeat(33_000) } }, ['/0/props too_long']],
  [
    'a number beyond a double',
    { name: 'a', props: JSON.parse('{"a":{"b~/":[1,1e400]}}') },
    ['/0/props/a/b~0~1/1 out_of_range'],
  ],
  ['a session of nobody', { type: 'identify', session_id: 's' }, ['/0/external_user_id required']],
  ['a user without a session', { type: 'identify', external_user_id: 'u' }, ['/0/session_id required']],
  [
    'several faults',
    { type: 'x', timestamp: 'x', props: 5 },
    ['/0/name required', '/0/type enum', '/0/timestamp format', '/0/props type'],
  ],
];

for (const [title, item, expected] of refused) test(`refused: ${title}`, t => t.deepEqual(faults(item), expected));

const accepted: [title: string, item: object][] = [
  ['whose session it is', { type: 'identify', external_user_id: 'u', session_id: 's' }],
  ['a name alone', { name: 'a' }],
  ['a name of 200 characters within blanks', { name: ` ${'a'.repeat(200)} ` }],
  ['an error', { name: 'a', type: 'error' }],
  ['a time an hour ahead', { name: 'a', timestamp: '2026-11-21T13:00:00.000Z' }],
  ['the first instant of 2000', { name: 'a', timestamp: '2000-01-01T00:00:00Z' }],
  ['an offset', { name: 'a', timestamp: '2026-11-21T14:30:00+02:00' }],
  ['ten levels', { name: 'a', props: nested(10) }],
  ['255 keys', { name: 'a', props: wide(255) }],
  ['what the service sets itself', { name: 'a', id: 5, project_id: 'x', ingested_at: {} }],
  [
    'null for what may be absent',
    { name: 'a', type: null, external_user_id: null, props: null, timestamp: null, dedup_id: null },
  ],
  ['the largest double', { name: 'a', props: { a: 1.7976931348623157e308, b: 5e-324, c: -0 } }],
];

for (const [title, item] of accepted) test(`accepted: ${title}`, t => t.deepEqual(faults(item), []));

test('NUL and half surrogate pairs become U+FFFD, in names of properties too', t => {
  const outcome = accept({
    name: 'a\u0000',
    external_user_id: '\ud800',
    props: { '\u0000k': ['\udfffv', { '\ud800': '\u0000' }] },
  });
  if (!('event' in outcome)) return t.fail();
  t.is(outcome.event.name, 'a\ufffd');
  t.is(outcome.event.externalUserId, '\ufffd');
  t.is(outcome.event.props, '{"\ufffdk":["\ufffdv",{"\ufffd":"\ufffd"}]}');
});

test('__proto__ and its kin are ordinary properties, and no field is taken from a prototype', t => {
  for (const unclean of [true, false]) {
    const item = JSON.parse('{"name":"a","props":{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}}');
    const outcome = accept(item, { unclean });
    if (!('event' in outcome)) return t.fail();
    t.is(outcome.event.props, '{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}');
  }
  t.deepEqual(faults(JSON.parse('{"__proto__":{"name":"a"}}')), ['/0/name required']);
  t.is(({} as Record<string, unknown>).x, undefined);
});

test('a page without a token sends track only, and at most 4 KiB', t => {
  const large = { name: 'a', props: { text: 'x'.repeat(4100) } };
  t.deepEqual(faults(large), []);
  t.deepEqual(faults(large, { source: 'browser' }), ['/0/props too_long']);
  t.deepEqual(faults({ name: 'a', type: 'error' }, { source: 'browser' }), ['/0/type not_allowed']);
  t.deepEqual(faults({ name: 'a', type: 'track' }, { source: 'browser' }), []);
});

test('times of a clock that is more than a minute off are corrected by it, within the same bounds', t => {
  const hourMs = 3_600_000;
  t.is(clockLag(undefined, nowMs), 0);
  t.is(clockLag(nowMs - 60_000, nowMs), 0);
  t.is(clockLag(nowMs + 2 * hourMs, nowMs), -2 * hourMs);
  const timestamp = new Date(nowMs + 2 * hourMs).toISOString();
  t.deepEqual(faults({ name: 'a', timestamp }), ['/0/timestamp in_future']);
  const outcome = accept({ name: 'a', timestamp }, { clockLagMs: -2 * hourMs });
  t.is('event' in outcome && outcome.event.timestamp, nowMs);
  t.deepEqual(faults({ name: 'a', timestamp }, { clockLagMs: -3 * hourMs }), []);
  t.deepEqual(faults({ name: 'a', timestamp }, { clockLagMs: 2 * hourMs }), ['/0/timestamp in_future']);
  t.deepEqual(faults({ name: 'a', timestamp }, { clockLagMs: -nowMs }), ['/0/timestamp out_of_range']);
});

test('one bad item never touches its neighbours, whatever it is', t => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.anything(), fc.constant({ name: 'good' })), { maxLength: 10 }), items => {
      const outcomes = acceptItems(items, rules, index => `/${index}`);
      t.is(outcomes.length, items.length);
      for (const [index, item] of items.entries()) {
        const outcome = outcomes[index] as ItemOutcome;
        if (item !== null && typeof item === 'object' && 'name' in item && item.name === 'good')
          t.true('event' in outcome);
        if ('errors' in outcome)
          t.true(outcome.errors.every(error => error.index === index && error.pointer.startsWith(`/${index}`)));
      }
    }),
    { numRuns: 2000 },
  );
});

test('what the documented schema refuses is refused, and what passes the rules is what it describes', t => {
  const text = fc.oneof(
    fc.string({ maxLength: 210 }),
    fc.constantFrom('track', 'error', 'release', 'identify', '2026-11-21T12:00:00Z'),
  );
  const value = fc.oneof(text, fc.constantFrom(null, 5, true, {}, []));
  const item = fc.dictionary(
    fc.constantFrom('name', 'type', 'external_user_id', 'session_id', 'props', 'timestamp', 'dedup_id', 'other'),
    value,
  );
  fc.assert(
    fc.property(item, event => {
      const schema = event.type === 'identify' ? identifySchema : eventSchema;
      const name = event.name ?? undefined;
      if (schema.safeParse({ ...event, name, type: event.type ?? 'track' }).success) return;
      const trimmed = typeof name === 'string' ? name.trim() : name;
      if (schema.safeParse({ ...event, name: trimmed, type: event.type ?? 'track' }).success) return;
      t.not(faults(event).length, 0, JSON.stringify(event));
    }),
    { numRuns: 3000 },
  );
});

test('a user and a session of one name are two actors, and an actor is a safe integer', t => {
  t.is(actorOf(null, null), null);
  t.not(actorOf('a', null), actorOf(null, 'a'));
  t.is(actorOf('a', 's1'), actorOf('a', 's2'));
  fc.assert(fc.property(fc.string(), id => t.true(Number.isSafeInteger(actorOf(id, null)))));
});

test('a memory of actors knows users and sessions apart, and forgets', t => {
  const recall = createActorMemory();
  const names = Array.from({ length: 100 }, (_, n) => [n % 2 === 0 ? `u${n >> 1}` : null, `u${n >> 1}`] as const);
  const others = Array.from({ length: 25_000 }, (_, n) => [`other ${n}`, null] as const);
  for (const [user, session] of [...names, ...names, ...others, ...names])
    if (recall(user, session) !== actorOf(user, session)) return t.fail(`${user} ${session}`);
  t.is(recall(null, null), null);
});
