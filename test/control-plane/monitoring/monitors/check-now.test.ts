import test, { type ExecutionContext } from 'ava';
import { packConfirmations } from '#control-plane/monitoring/assignments/check-now.ts';
import { notifyCheckNow } from '#control-plane/monitoring/assignments/store.ts';
import { apiOf, createRegions, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, type FakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { faultsOf } from '#test/support/problem.ts';
import { sharedPair } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const hourSeconds = 3600;
let worlds = 0;

/** Two regions with an agent each on a replica of its own, and a third region without one. */
async function openWorld(t: ExecutionContext) {
  worlds += 1;
  const regions = ['a', 'b', 'c'].map(letter => `now${worlds}-${letter}`);
  const secrets = await createRegions(databaseOf(), regions);
  const { token } = await createTenant(databaseOf());
  const replicas = await sharedPair(databaseOf());
  const agents: FakeAgent[] = [];
  for (const [index, { url }] of replicas.entries()) {
    const agent = await connectFakeAgent(url, secrets[regions[index] ?? '']?.secret ?? '');
    t.teardown(() => agent[Symbol.asyncDispose]());
    agents.push(agent);
  }
  const api = apiOf(replicas[0].url, token);
  const body = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: hourSeconds, regions };
  const { id } = (await api('POST', '/v0/monitors', body)).body;
  const asked = (agent: FakeAgent | undefined, at?: string) =>
    (agent?.messages ?? []).filter(
      message => message.type === 'check_now' && (at === undefined || message.at === Date.parse(at)),
    );
  for (const agent of agents) await until(() => asked(agent).length, 1);
  return { api, id, regions, agents, asked };
}

test.serial('agents check at once on every replica, and their checks count as scheduled ones', async t => {
  const { api, id, regions, agents, asked } = await openWorld(t);
  const answer = await api('POST', `/v0/monitors/${id}/check-now`);
  t.is(answer.status, 202);
  const { at, ...rest } = answer.body;
  t.deepEqual(rest, {
    regions: regions.slice(0, 2),
    unable_regions: [{ region: regions[2], reason: 'no_agent', missing: [] }],
  });
  for (const agent of agents)
    t.like(
      (
        await until(
          () => asked(agent, at),
          messages => messages.length > 0,
        )
      )[0],
      { monitor_id: id, kind: 'scheduled' },
    );
  t.deepEqual(await agents[0]?.report([goodResult(id, Date.parse(at))]), []);
  const { data } = (await api('GET', `/v0/monitors/${id}/checks`)).body;
  t.like(data[0], { scheduled_at: at, kind: 'scheduled', status: 'ok' });
});

test.serial(
  '`at` finds the checks that were asked for, and `kind` those of the schedule or of confirmations',
  async t => {
    const { api, id, agents } = await openWorld(t);
    const { at } = (await api('POST', `/v0/monitors/${id}/check-now`)).body;
    const asked = Date.parse(at);
    const scheduled = goodResult(id, asked);
    const refusals = await agents[0]?.report([
      scheduled,
      { ...scheduled, kind: 'confirm', started_at: asked + 1, completed_at: asked + 1 },
    ]);
    t.deepEqual(refusals, []);
    const found = async (query: string) =>
      (await api('GET', `/v0/monitors/${id}/checks?${query}`)).body.data.map((check: { kind: string }) => check.kind);
    t.deepEqual(await found(`at=${at}`), ['scheduled', 'confirm']);
    t.deepEqual(await found(`at=${at}&kind=confirm`), ['confirm']);
    t.deepEqual(await found('kind=scheduled'), ['scheduled']);
    t.deepEqual(await found(`at=${new Date(asked - 1).toISOString()}`), []);
    t.deepEqual(await found(`at=${new Date(asked + 1).toISOString()}`), []);
    const refused = await api('GET', `/v0/monitors/${id}/checks?kind=sometimes&at=yesterday`);
    t.is(refused.status, 400);
  },
);

test.serial('only the named regions are asked, once in ten seconds', async t => {
  const { api, id, regions, agents, asked } = await openWorld(t);
  const path = `/v0/monitors/${id}/check-now`;
  const wrong = await api('POST', path, { regions: [regions[0], 'elsewhere'] });
  t.deepEqual([wrong.status, faultsOf(wrong)], [422, ['/regions/1 unknown_reference']]);
  const { body } = await api('POST', path, { regions: [regions[1]] });
  t.deepEqual([body.regions, body.unable_regions], [[regions[1]], []]);
  await until(() => asked(agents[1], body.at).length, 1);
  t.is(asked(agents[0], body.at).length, 0);
  const again = await api('POST', path);
  t.deepEqual([again.status, again.body.code], [429, 'rate_limited']);
  t.true(again.body.retry_after >= 1 && again.body.retry_after <= 10);
});

test.serial('a flood of checks on request leaves room for confirmations', async t => {
  const { id, regions, agents, asked } = await openWorld(t);
  const check = { monitorId: id, configVersion: 1, exceptRegion: regions[2] ?? '', projectId: 'prj_1' };
  const flood = Array.from({ length: 100 }, (_, at) => ({
    ...check,
    at,
    kind: 'scheduled' as const,
  }));
  await withSql(databaseOf(), sql => notifyCheckNow(sql, packConfirmations([...flood, { ...check, at: 1000 }])));
  const confirmed = await until(
    () => asked(agents[0], new Date(1000).toISOString()),
    messages => messages.length > 0,
  );
  t.like(confirmed[0], { monitor_id: id, kind: 'confirm' });
});

test.serial('a paused monitor is not checked, and one that does not exist is not found', async t => {
  const { api, id } = await openWorld(t);
  await api('POST', `/v0/monitors/${id}/pause`);
  const paused = await api('POST', `/v0/monitors/${id}/check-now`);
  t.deepEqual([paused.status, paused.body.code], [409, 'monitor_paused']);
  t.is((await api('POST', '/v0/monitors/mon_none/check-now')).status, 404);
});

test.serial('many monitors can be checked with one call, and nothing of it is recorded as a change', async t => {
  const { api, id, agents, asked } = await openWorld(t);
  const entries = async () => (await api('GET', '/v0/audit')).body.data.length;
  const before = await entries();
  const call = (fields = {}) => api('POST', '/v0/monitors/bulk', { ids: [id], action: 'check_now', ...fields });
  t.like((await call({ dry_run: true })).body, { changed: 1, dry_run: true });
  t.is(asked(agents[0]).length, 1, 'a dry run asks nobody');
  t.like((await call()).body, { changed: 1, failed: 0 });
  await until(() => asked(agents[0]).length, 2);
  t.like((await call()).body.items[0], { outcome: 'failed', problem: { code: 'rate_limited' } });
  t.is(await entries(), before);
});
