import test, { type ExecutionContext } from 'ava';
import { apiOf, createRegions, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { type PlantedFault, plantFault } from '#test/support/planted-fault.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';
import { ok, startTarget } from '#test/support/target.ts';

const database = useDatabase(test);
const refused = {
  status: 'err' as const,
  latency_ms: null,
  timings: null,
  status_code: null,
  error: { code: 'connect_refused' as const, message: 'connection refused' },
  failure_source: 'target' as const,
};

/** Two projects with a monitor each in the same shared regions, whose agents report both in one message. */
async function openNeighbours(t: ExecutionContext, changes: Record<string, unknown> = {}) {
  const replica = await sharedReplica(database());
  const opened = new AsyncDisposableStack();
  t.teardown(() => opened.disposeAsync());
  const receiver = opened.use(await startTarget(ok()));
  const tenants = [await createTenant(database()), await createTenant(database())] as const;
  const codes = ['a', 'b', 'c'].map(letter => `${letter}-${tenants[0].projectId.slice(-10)}`);
  const secrets = await createRegions(database(), codes);
  const agents = await Promise.all(
    codes.map(async code => opened.use(await connectFakeAgent(replica.url, secrets[code]?.secret ?? ''))),
  );
  const [bad, good] = tenants.map(({ token }) => apiOf(replica.url, token)) as [
    ReturnType<typeof apiOf>,
    ReturnType<typeof apiOf>,
  ];
  const body = { name: 'm', url: 'https://shop.example/', interval_seconds: 3600, regions: codes };
  const badId = (await bad('POST', '/v0/monitors', { ...body, ...changes })).body.id as string;
  const goodId = (await good('POST', '/v0/monitors', body)).body.id as string;
  await good('POST', '/v0/webhooks', { url: receiver.url, kinds: ['alert.opened'] });
  let slot = 0;
  const report = async (changes: Parameters<typeof goodResult>[2] = {}) => {
    // Whatever a busy machine did meanwhile, it is not late.
    slot = Math.max(slot + 1000, Date.now() - 60_000);
    const at = slot;
    for (const attempt of changes?.status === 'err' ? [1, 2] : [1])
      for (const agent of agents)
        await agent.report([badId, goodId].map(id => goodResult(id, at, { ...changes, attempt })));
  };
  await report();
  const statusOf = async (api: typeof bad, id: string) => (await api('GET', `/v0/monitors/${id}`)).body.status;
  const openOf = async (api: typeof bad) => (await api('GET', '/v0/alerts?state=open')).body.data;
  const checksOf = async (api: typeof bad, id: string) =>
    (await api('GET', `/v0/monitors/${id}/checks?limit=200`)).body.data.length as number;
  const failures = () =>
    withSql(
      database(),
      sql => sql.rows<{ work: string; error: string }>`
        select work, error
        from work_failures
        where item = ${badId}
        order by work`,
    );
  return { replica, bad, good, badId, goodId, report, receiver, statusOf, openOf, checksOf, failures };
}

const metricsOf = async ({ url }: { url: string }) => (await fetch(`${url}/metrics`)).text();

const plant = (t: ExecutionContext, fault: Parameters<typeof plantFault>[1]): Promise<PlantedFault> =>
  plantFault(database(), fault).then(planted => {
    t.teardown(() => planted.remove().catch(() => {}));
    return planted;
  });

test.serial('a monitor whose history cannot be written takes neither results nor alerts of others along', async t => {
  const world = await openNeighbours(t);
  const { replica, bad, good, badId, goodId, report, receiver, statusOf, openOf, checksOf, failures } = world;
  const fault = await plant(t, { table: 'verdict_changes', on: 'insert', column: 'monitor_id', value: badId });
  await report(refused);
  await until(() => statusOf(good, goodId), 'down');
  await until(async () => (await openOf(good)).length, 1);
  await receiver.requested(1);
  // Its own results are stored, too.
  await until(async () => [await checksOf(bad, badId), await checksOf(good, goodId)], [9, 9]);
  t.is(await statusOf(bad, badId), 'up');
  await until(async () => (await failures()).some(({ work }) => work === 'verdicts'), true);
  // Its alerts failed as well: counted for good, but noted only until they are evaluated as of a monitor that is up.
  t.regex(await metricsOf(replica), /upquorum_work_failures_total\{work="alerts"\} [1-9]/);
  await fault.remove();
  await report(refused);
  await until(() => statusOf(bad, badId), 'down');
  await until(async () => (await openOf(bad)).length, 1);
});

test.serial('a monitor whose alert cannot be opened is down, and its alert opens once it can be', async t => {
  const { replica, bad, good, badId, goodId, report, receiver, statusOf, openOf, failures } = await openNeighbours(t);
  const fault = await plant(t, { table: 'alerts', on: 'insert', column: 'monitor_id', value: badId });
  await report(refused);
  await until(async () => [await statusOf(good, goodId), await statusOf(bad, badId)], ['down', 'down']);
  await receiver.requested(1);
  await until(async () => [(await openOf(good)).length, (await openOf(bad)).length], [1, 0]);
  const [noted] = await until(failures, found => found.length > 0);
  t.like(noted, { work: 'alerts', error: 'planted fault' });
  t.regex(await metricsOf(replica), /upquorum_work_failures_total\{work="alerts"\} [1-9]/);
  await fault.remove();
  const [alert] = await until(
    () => openOf(bad),
    alerts => alerts.length === 1,
  );
  const [state] = (await bad('GET', `/v0/monitors/${badId}/verdicts`)).body.data;
  t.is(alert.started_at, state.since);
  t.deepEqual(await failures(), []);
});

test.serial('a monitor whose alerts cannot be evaluated can be paused, changed and deleted', async t => {
  const world = await openNeighbours(t, { alert_rules: { degraded: { after_seconds: 3600 } } });
  const { bad, badId, report, failures } = world;
  await report(refused);
  const spoil = () =>
    withSql(database(), async sql => {
      await sql.run`update alert_clocks set history = '{}' where monitor_id = ${badId}`;
    });
  // What was noted is gone when its alerts are evaluated again.
  const noted = new Set<string | undefined>();
  const change = async (...call: Parameters<typeof bad>) => {
    await spoil();
    t.is((await bad(...call)).status, 200);
    noted.add((await failures())[0]?.work);
  };
  await change('POST', `/v0/monitors/${badId}/pause`);
  await change('PATCH', `/v0/monitors/${badId}`, { interval_seconds: 1800 });
  await change('PATCH', `/v0/monitors/${badId}`, { alert_rules: { degraded: null } });
  t.true(noted.has('alerts'));
  t.is((await bad('DELETE', `/v0/monitors/${badId}`)).status, 204);
});

test.serial('a degraded alert opens by warnings that are stored without what they have in common', async t => {
  const assertions = [{ type: 'latency_p95', operator: 'lt', value_ms: 1, window_minutes: 10 }];
  const alert_rules = { degraded: { after_seconds: 0 } };
  const { bad, badId, report, openOf } = await openNeighbours(t, { assertions, alert_rules });
  await report();
  await report();
  const [alert] = await until(
    () => openOf(bad),
    alerts => alerts.length === 1,
  );
  t.like(alert, { kind: 'degraded', state: 'open' });
  t.like(alert.reason, { error_code: null, expected: 'p95 latency lt 1 ms over 10 min', actual: '12.5 ms' });
  const newest = (await bad('GET', `/v0/monitors/${badId}/checks?limit=1`)).body.data[0];
  t.is(newest.status, 'warn');
  t.is((await bad('POST', `/v0/monitors/${badId}/pause`)).status, 200);
  t.is((await bad('DELETE', `/v0/monitors/${badId}`)).status, 204);
});
