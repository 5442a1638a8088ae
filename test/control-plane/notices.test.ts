import test from 'ava';
import fc from 'fast-check';
import { relayConditions } from '#control-plane/delivery/notifications/email/relay-condition.ts';
import type { Condition } from '#control-plane/monitoring/notices/notice.ts';
import { type OpenNotice, planNotices } from '#control-plane/monitoring/notices/plan.ts';
import { watchNotices } from '#control-plane/monitoring/notices/watch.ts';
import { channelConditions } from '#control-plane/on-call/channels/condition.ts';
import { routesOfNotice } from '#control-plane/on-call/routing/route-notice.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { newId } from '#shared/ids.ts';
import { createRegions, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);
const sources = [channelConditions, relayConditions];

// Serial: a look at notices is one at all projects.

async function openWorld(t: Parameters<typeof openMonitorWorld>[0], agoSeconds = 0) {
  const world = await openMonitorWorld(t, database(), 2);
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const startMs = Date.now() - agoSeconds * 1000;
  const watch = (atSeconds: number, operator: string | null = null) =>
    watchNotices(pools.background, { operatorProject: operator, sources }, startMs + atSeconds * 1000);
  const notices = async (query = '') => (await world.api('GET', `/v0/notices${query}`)).body.data;
  const vote = (id: string, region: string, value: 'up' | 'unknown', atSeconds: number) => {
    const at = startMs + atSeconds * 1000;
    const stored = { vote: value, since: at, as_of: at, expires_at: null, failing_since: null, judged_at: at };
    return withSql(
      database(),
      sql => sql.run`
        update monitor_states
        set votes = (votes::jsonb || jsonb_build_object(${region}::text, ${JSON.stringify(stored)}::jsonb))::json,
          sweep_at = null
        where monitor_id = ${id}`,
    );
  };
  return { world, pools, startMs, watch, notices, vote };
}

test.serial('what fails again and again is a notice for the operator alone, one for each loop', async t => {
  const { world, watch, notices, startMs } = await openWorld(t, 600);
  const fail = (work: string, item: string, failures: number) =>
    withSql(
      database(),
      sql => sql.run`
        insert into work_failures (work, item, failures, first_at, last_at, retry_at, error)
        values (${work}, ${item}, ${failures}, ${instant(startMs)}, now(), now(), 'refused')`,
    );
  await fail('publishing', 'sp_a', 3);
  await fail('publishing', 'sp_b', 4);
  await fail('facts', 'once', 2);
  const operator = await createTenant(database());
  await watch(1, operator.projectId);
  t.deepEqual(await notices(), []);
  await watch(1, world.projectId);
  const [notice, ...others] = await notices();
  t.deepEqual(others, []);
  t.like(notice, { kind: 'work.failing', state: 'open', title: '2 items of publishing cannot be processed' });
  t.deepEqual(notice.subject, { type: 'work', id: 'publishing', name: 'publishing' });
  await withSql(database(), sql => sql.run`delete from work_failures`);
  await watch(2, world.projectId);
  t.is((await notices())[0].state, 'closed');
});

test.serial('a region that is cut is one notice on any number of replicas, and closes with the first vote', async t => {
  // Facts are not dispatched before their time.
  const { world, watch, notices, vote } = await openWorld(t, 600);
  const [cut = '', other = ''] = world.regions;
  const patched = await world.api('PATCH', '/v0/project', {
    notices: { region_silent_after_seconds: 120, agent_silent_after_seconds: 300 },
  });
  t.is(patched.body.notices.region_silent_after_seconds, 120);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push((await world.post({ name, regions: [cut, other] })).body.id);
  const steps = [{ after_minutes: 0, channel_ids: [await channelOf(world)] }];
  await world.api('POST', '/v0/routes', { name: 'silence', match: { notices: ['region.silent'] }, steps });
  for (const id of ids) {
    await vote(id, other, 'up', 0);
    await vote(id, cut, id === ids[0] ? 'up' : 'unknown', 0);
  }
  await watch(600);
  t.deepEqual(await notices(), [], 'one of its monitors has a vote');
  await vote(ids[0] ?? '', cut, 'unknown', 10);
  await watch(129);
  t.deepEqual(await notices(), [], 'it is not silent for long enough');
  await Promise.all([watch(130), watch(130), watch(131)]);
  const [opened, ...more] = await notices('?kind=region.silent&state=open');
  t.deepEqual(more, []);
  t.like(opened, { kind: 'region.silent', state: 'open', closed_at: null, late_results: false });
  t.deepEqual(opened.subject, { type: 'region', id: cut, name: opened.subject.name });
  t.is((await notices()).length, 1);
  const sent = await until(
    () => world.api('GET', '/v0/deliveries'),
    answer => answer.body.data.length > 0,
  );
  t.like(sent.body.data[0], { kind: 'notice', step: 'notice' });
  await vote(ids[1] ?? '', cut, 'up', 140);
  await watch(141);
  t.is((await notices('?state=closed'))[0].id, opened.id);
  t.deepEqual(await notices('?state=open'), []);
  t.is((await world.api('GET', '/v0/notices?kind=region.loud')).status, 400);
});

test.serial('agents, quarantines, channels and regions without agents have notices that close', async t => {
  const { world, startMs, watch, notices } = await openWorld(t);
  const [region = '', empty = ''] = world.regions;
  const channel = await channelOf(world);
  await world.post({ regions: [region, empty] });
  const [lost, left] = [newId('agt'), newId('agt')];
  const session = '00000000-0000-4000-8000-000000000001';
  await withSql(database(), async sql => {
    for (const [id, goodbye] of [
      [lost, null],
      [left, session],
    ] as const)
      await sql.run`
        insert into agents (
          id, region, name, secret_hash, created_at, last_seen_at, online, session_id, goodbye_session
        )
        values (
          ${id}, ${region}, ${id}, ${Buffer.from(id)}, ${instant(startMs)}, ${instant(startMs)}, false, ${session},
          ${goodbye}
        )`;
    await sql.run`insert into region_faults (region, project_id, since) values (${region}, null, ${instant(startMs)})`;
    await sql.run`update channels set failing_since = ${instant(startMs)} where id = ${channel}`;
  });
  const kinds = async () =>
    (await notices('?state=open')).map((notice: { kind: string; subject: { id: string } }) =>
      [notice.kind, notice.subject.id].join(' '),
    );
  await watch(299);
  t.deepEqual((await kinds()).toSorted(), [`channel.failing ${channel}`, `region.quarantined ${region}`]);
  await watch(302);
  const after = [
    `agent.silent ${lost}`,
    `channel.failing ${channel}`,
    `monitor.unable ${empty}`,
    `monitor.unable ${region}`,
    `region.quarantined ${region}`,
  ].toSorted();
  t.deepEqual((await kinds()).toSorted(), after);
  await watch(3601);
  t.deepEqual((await kinds()).toSorted(), [...after, `agent.silent ${left}`].toSorted());
  await withSql(database(), async sql => {
    await sql.run`update agents set online = true where region = ${region}`;
    await sql.run`update region_faults set until = now() where region = ${region}`;
    await sql.run`update channels set failing_since = null where id = ${channel}`;
  });
  await watch(3602);
  t.deepEqual(await kinds(), [`monitor.unable ${empty}`]);
  await world.api('PATCH', '/v0/project', {
    notices: { region_silent_after_seconds: null, agent_silent_after_seconds: null },
  });
  await withSql(database(), sql => sql.run`update agents set online = false where region = ${region}`);
  await watch(90_000);
  t.false(
    (await kinds()).some((kind: string) => kind.startsWith('agent.silent')),
    'null is never',
  );
  const { status } = await world.api('PATCH', '/v0/project', { notices: { region_silent_after_seconds: 59 } });
  t.is(status, 422);
});

test.serial('of what all projects share, the operator’s project hears once, or no project', async t => {
  const { startMs, watch, notices } = await openWorld(t);
  const operator = await createTenant(database());
  const shared = `shared-${operator.projectId.slice(-8)}`;
  await createRegions(database(), [shared]);
  const agent = newId('agt');
  await withSql(
    database(),
    sql => sql.run`
      insert into agents (id, region, name, secret_hash, created_at, last_seen_at, online)
      values (${agent}, ${shared}, 'a', ${Buffer.from(agent)}, ${instant(startMs)}, ${instant(startMs)}, false)`,
  );
  const rows = () =>
    withSql(
      database(),
      sql => sql.rows<{ project_id: string | null }>`
        select project_id from notices where subject_id = ${agent} and closed_at is null`,
    );
  await watch(301, 'proj_of_nobody');
  t.deepEqual(await rows(), [{ project_id: null }]);
  await watch(302, operator.projectId);
  t.deepEqual(await rows(), [{ project_id: operator.projectId }]);
  t.false(JSON.stringify(await notices()).includes(agent));
});

test('planning again changes nothing, and every notice of the plan has its cause', t => {
  const condition = fc.record({
    projectId: fc.constantFrom('p', 'q', null),
    kind: fc.constantFrom('region.silent' as const, 'agent.silent' as const),
    subjectType: fc.constant('region' as const),
    subjectId: fc.constantFrom('a', 'b'),
    subjectName: fc.constant(''),
    distinction: fc.constantFrom('', 'no_agent'),
    sinceMs: fc.integer({ min: 0, max: 20 }),
    afterMs: fc.option(fc.integer({ min: 0, max: 20 })),
    title: fc.constant(''),
    detail: fc.constant(''),
  });
  const noticeOf = (one: Condition): OpenNotice => ({
    id: 'n',
    project_id: one.projectId,
    kind: one.kind,
    subject_id: one.subjectId,
    distinction: one.distinction,
  });
  const key = ({ id: _, ...rest }: OpenNotice) => JSON.stringify(Object.entries(rest).toSorted());
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 6 }), fc.array(condition, { maxLength: 6 }), (now, before) => {
      const open = [...new Map(before.map(noticeOf).map(one => [key(one), one])).values()];
      const plan = planNotices(now, open, 20);
      const kept = open.filter(one => !plan.closed.includes(one));
      const next = [...kept, ...plan.opened.map(noticeOf)];
      const again = planNotices(now, next, 20);
      const causes = new Set(now.map(noticeOf).map(key));
      return (
        again.opened.length === 0 &&
        again.closed.length === 0 &&
        next.every(one => causes.has(key(one))) &&
        new Set(next.map(key)).size === next.length &&
        plan.opened.every(one => one.afterMs !== null && one.sinceMs + one.afterMs <= 20)
      );
    }),
    { numRuns: 300 },
  );
  t.pass();
});

test('a route gets the notices it names, unless it has a selector or an earlier one took them', t => {
  const route = (id: string, changes: object, more = false) => ({
    id,
    enabled: true,
    continue: more,
    match: { selector: null, severities: [], kinds: [], notices: ['agent.silent' as const], ...changes },
  });
  const routes = [
    route('a', { selector: 'env=prod' }),
    route('b', { notices: [] }),
    route('c', {}, true),
    route('d', {}),
    route('e', {}),
  ];
  t.deepEqual(
    routesOfNotice(routes, 'agent.silent').map(({ id }) => id),
    ['c', 'd'],
  );
  t.deepEqual(routesOfNotice(routes, 'region.silent'), []);
});

async function channelOf(world: { api: Awaited<ReturnType<typeof openMonitorWorld>>['api'] }): Promise<string> {
  const channel = { type: 'discord', name: newId('chn'), config: { url: 'https://example.com/hook' } };
  return (await world.api('POST', '/v0/channels', channel)).body.id;
}
