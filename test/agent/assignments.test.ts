import test from 'ava';
import fc from 'fast-check';
import { Assignments } from '#agent/assignments.ts';
import { AssignmentDigest } from '#shared/protocol/digest.ts';
import { startTestAgent } from '../support/agent.ts';
import { makeAssignment, startGateway } from '../support/gateway.ts';

const url = 'http://127.0.0.1:1/';
const dailyMonitors = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    makeAssignment({
      url,
      monitor_id: `mon_${index}`,
      interval_ms: 86_400_000,
      offset_ms: (Date.now() + 43_200_000) % 86_400_000,
    }),
  );

for (const count of [100, 1000])
  test(`${count} assignments arrive by delta and by snapshot, and the digests agree`, async t => {
    await using gateway = await startGateway();
    await using agent = await startTestAgent(gateway);
    await gateway.until(() => gateway.of('hello').length === 1);
    const monitors = dailyMonitors(count);
    gateway.assign(monitors);
    await gateway.until(() => gateway.of('applied').length === 1);
    t.like(gateway.of('applied')[0], { revision: 1, digest: gateway.digest });
    t.is(agent.counts().assignments, count);

    gateway.assign(
      monitors.slice(0, 10).map(monitor => ({ ...monitor, config_version: 2 })),
      monitors.slice(10, 20).map(monitor => monitor.monitor_id),
    );
    await gateway.until(() => gateway.of('applied').length === 2);
    t.is(gateway.of('applied')[1]?.digest, gateway.digest);
    t.is(agent.counts().assignments, count - 10);

    for (const id of [...gateway.assigned.keys()].slice(0, 30)) gateway.assigned.delete(id);
    gateway.snapshot();
    await gateway.until(() => gateway.of('applied').length === 3);
    t.is(gateway.of('applied')[2]?.digest, gateway.digest);
    t.is(agent.counts().assignments, count - 40);
  });

test('a reconnecting agent reports its state in hello, so that the same assignments are not sent again', async t => {
  await using gateway = await startGateway();
  await using _agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  gateway.assign(dailyMonitors(10));
  await gateway.until(() => gateway.of('applied').length === 1);
  gateway.send({ type: 'goaway', reason: 'test', after_ms: 0 });
  await gateway.until(() => gateway.of('hello').length === 2);
  t.deepEqual(gateway.of('hello')[1]?.held, { revision: 1, digest: gateway.digest });
  t.is(gateway.of('hello')[1]?.boot_id, gateway.of('hello')[0]?.boot_id);
});

test('an interrupted snapshot removes nothing, and a complete one leaves the remaining monitors untouched', t => {
  const dropped: string[] = [];
  const assignments = new Assignments({ put: () => undefined, drop: id => dropped.push(id) });
  const [first, second, third] = dailyMonitors(3);
  if (first === undefined || second === undefined || third === undefined) throw new Error('three monitors');
  const message = { type: 'assignments' as const, mode: 'snapshot' as const, drop: [], digest: '' };
  assignments.apply({ ...message, revision: 1, put: [first, second], more: false });
  t.false(assignments.apply({ ...message, revision: 2, put: [second], more: true }));
  assignments.discardPartialSnapshot();
  t.deepEqual(dropped, []);
  t.is(assignments.state.revision, 1);
  assignments.apply({ ...message, revision: 3, put: [second], more: true });
  t.true(assignments.apply({ ...message, revision: 3, put: [third], more: false }));
  t.deepEqual(dropped, [first.monitor_id]);
});

test('a differing digest is answered with the agent’s own digest', t => {
  const assignments = new Assignments({ put: () => undefined, drop: () => undefined });
  const put = dailyMonitors(2);
  t.true(
    assignments.apply({
      type: 'assignments',
      mode: 'delta',
      revision: 7,
      put,
      drop: ['x'],
      digest: 'wrong',
      more: false,
    }),
  );
  const expected = new AssignmentDigest();
  for (const { monitor_id, config_version } of put) expected.toggle(monitor_id, config_version);
  t.deepEqual(assignments.state, { revision: 7, digest: expected.toString() });
});

type Message = Parameters<Assignments['apply']>[0];

test('each version that is run no more is passed on once', t => {
  const forgotten: string[] = [];
  const assignments = new Assignments(
    { put: () => undefined, drop: () => undefined },
    ({ monitor_id, config_version }) => forgotten.push(`${monitor_id} ${config_version}`),
  );
  const put = (id: string, version: number) =>
    makeAssignment({ url: 'https://a.example/', monitor_id: id, config_version: version });
  assignments.apply(message({ put: [put('a', 1), put('b', 1)] }));
  assignments.apply(message({ put: [put('a', 2)] }));
  assignments.apply(message({ mode: 'snapshot', put: [put('a', 2)] }));
  t.deepEqual(forgotten, ['a 1', 'a 2', 'b 1']);
});

/** Assignments whose sink is a plain map, as the schedule would hold them. */
function makeAssignments() {
  const scheduled = new Map<string, number>();
  const assignments = new Assignments({
    put: ({ monitor_id, config_version }) => scheduled.set(monitor_id, config_version),
    drop: id => scheduled.delete(id),
  });
  return { assignments, scheduled };
}

const message = (changes: Partial<Message>): Message => ({
  type: 'assignments',
  mode: 'delta',
  revision: 1,
  put: [],
  drop: [],
  digest: '',
  more: false,
  ...changes,
});

function digestOf(monitors: ReadonlyMap<string, number>): string {
  const digest = new AssignmentDigest();
  for (const [id, version] of monitors) digest.toggle(id, version);
  return digest.toString();
}

const monitor = fc.record({
  monitor_id: fc.integer({ min: 0, max: 12 }).map(number => `mon_${number}`),
  config_version: fc.integer({ min: 1, max: 3 }),
});
const change = fc.record({
  mode: fc.constantFrom('delta' as const, 'snapshot' as const),
  put: fc.uniqueArray(monitor, { maxLength: 8, selector: ({ monitor_id }) => monitor_id }),
  drop: fc.uniqueArray(
    fc.integer({ min: 0, max: 12 }).map(number => `mon_${number}`),
    { maxLength: 4 },
  ),
  cut: fc.nat({ max: 8 }),
});

test('after any deltas and snapshots, in any parts, set, digest and schedule agree with a plain map', t => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), changes => {
      const { assignments, scheduled } = makeAssignments();
      const expected = new Map<string, number>();
      for (const [index, { mode, put, drop, cut }] of changes.entries()) {
        const revision = index + 1;
        const full = put.map(fields => makeAssignment({ url, ...fields }));
        assignments.apply(message({ mode, revision, put: full.slice(0, cut), drop, more: true }));
        assignments.apply(message({ mode, revision, put: full.slice(cut), more: false }));
        if (mode === 'snapshot') expected.clear();
        for (const id of drop) expected.delete(id);
        for (const { monitor_id, config_version } of put) expected.set(monitor_id, config_version);
        t.deepEqual(assignments.state, { revision, digest: digestOf(expected) });
        t.is(assignments.count, expected.size);
        t.deepEqual(new Map([...scheduled].toSorted()), new Map([...expected].toSorted()));
      }
    }),
  );
});

test('the revision changes with the last part only', t => {
  const { assignments } = makeAssignments();
  t.false(assignments.apply(message({ revision: 5, more: true })));
  t.is(assignments.state.revision, 0);
  t.true(assignments.apply(message({ revision: 5 })));
  t.is(assignments.state.revision, 5);
});

test('dropping an unknown monitor has no effect', t => {
  const { assignments } = makeAssignments();
  assignments.apply(message({ drop: ['unknown'] }));
  t.deepEqual([assignments.count, assignments.state.digest], [0, new AssignmentDigest().toString()]);
});

test('an empty snapshot removes everything', t => {
  const { assignments, scheduled } = makeAssignments();
  assignments.apply(message({ put: dailyMonitors(5) }));
  assignments.apply(message({ mode: 'snapshot' }));
  t.deepEqual([assignments.count, scheduled.size], [0, 0]);
});

test('lanes are counted as monitors come, move and go', t => {
  const assignments = new Assignments({ put: () => undefined, drop: () => undefined });
  const apply = (put: ReturnType<typeof makeAssignment>[], drop: string[] = [], mode: 'delta' | 'snapshot' = 'delta') =>
    assignments.apply({ type: 'assignments', mode, revision: 1, put, drop, digest: '', more: false });
  const monitor = (id: string, lane?: string) =>
    makeAssignment({ url, monitor_id: id, ...(lane === undefined ? {} : { lane }) });
  apply([monitor('1', 'a'), monitor('2', 'a'), monitor('3', 'b'), monitor('4')]);
  t.is(assignments.lanes, 3);
  apply([monitor('3', 'a')], ['4']);
  t.is(assignments.lanes, 1);
  apply([], ['1', '2', '3', 'unknown']);
  t.is(assignments.lanes, 0);
  apply([monitor('1', 'a'), monitor('2', 'b')]);
  apply([monitor('2', 'b')], [], 'snapshot');
  t.is(assignments.lanes, 1);
});
