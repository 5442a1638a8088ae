import test from 'ava';
import { Assignments } from '#agent/assignments.ts';
import { AssignmentDigest } from '#shared/protocol/digest.ts';
import { startTestAgent } from '../support/agent.ts';
import { makeAssignment, startGateway } from '../support/gateway.ts';

const url = 'http://127.0.0.1:1/';
const dailyMonitors = (count: number) =>
  Array.from({ length: count }, (_, place) =>
    makeAssignment({
      url,
      monitor_id: `mon_${place}`,
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

test('a reconnecting agent tells what it holds, so that it is not sent again', async t => {
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

test('a snapshot that breaks off drops nothing, and what stays is never taken out of the schedule', t => {
  const dropped: string[] = [];
  const assignments = new Assignments({ put: () => undefined, drop: id => dropped.push(id) });
  const [one, two, three] = dailyMonitors(3);
  if (one === undefined || two === undefined || three === undefined) throw new Error('three monitors');
  const message = { type: 'assignments' as const, mode: 'snapshot' as const, drop: [], digest: '' };
  assignments.apply({ ...message, revision: 1, put: [one, two], more: false });
  t.false(assignments.apply({ ...message, revision: 2, put: [two], more: true }));
  assignments.forgetPart();
  t.deepEqual(dropped, []);
  t.is(assignments.held.revision, 1);
  assignments.apply({ ...message, revision: 3, put: [two], more: true });
  t.true(assignments.apply({ ...message, revision: 3, put: [three], more: false }));
  t.deepEqual(dropped, [one.monitor_id]);
});

test('a digest that differs is answered with the agent’s own', t => {
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
  const own = new AssignmentDigest();
  for (const { monitor_id, config_version } of put) own.toggle(monitor_id, config_version);
  t.deepEqual(assignments.held, { revision: 7, digest: own.toString() });
});
