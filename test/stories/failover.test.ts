import { join } from 'node:path';
import test from 'ava';
import { startEmbedded } from '#deploy/embedded-postgres/embedded.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { makeScratch } from '#test/suite/scratch.ts';
import { composeFolder } from '#test/suite/server.ts';
import {
  type Api,
  apiOf,
  createRegions,
  createTenant,
  startReplica,
  until,
  withSql,
} from '#test/support/control-plane.ts';
import { openFailover } from '#test/support/failover.ts';
import { badResults, connectFakeAgent, type FakeAgent, goodResult } from '#test/support/fake-agent.ts';

const regions = ['ap-south', 'eu-west', 'us-east'];

const opened = new AsyncDisposableStack();
let site: Awaited<ReturnType<typeof openSite>>;
test.before(async () => {
  site = await openSite();
});
test.after.always(() => opened.disposeAsync());

/** A primary of its own, a control plane, a monitor and an agent in each of its regions. */
async function openSite() {
  const { folder } = opened.use(await makeScratch());
  const composeDir = composeFolder(process.env);
  const quiet = { progress: () => {}, timescale: 'off', timescaleWorkers: 0 } as const;
  const primary = await startEmbedded({ dataDir: join(folder, 'primary'), composeDir, ...quiet });
  opened.defer(() => primary.stop());
  const failover = opened.use(await openFailover());
  const databaseUrl = failover.begin(primary);
  const replica = await startReplica(databaseUrl);
  opened.defer(() => replica.stop());
  const { token } = await createTenant(databaseUrl);
  const api = apiOf(replica.url, token);
  const secrets = await createRegions(databaseUrl, regions);
  const monitor = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, regions };
  const made = await api('POST', '/v0/monitors', monitor);
  const agents = await Promise.all(
    regions.map(async region => opened.use(await connectFakeAgent(replica.url, secrets[region]?.secret ?? ''))),
  );
  const monitorId = String(made.body.id);
  return { failover, databaseUrl, folder, api, agents, monitorId };
}

/** Reports results, one after the other, until stopped. */
function reportResults(agents: readonly FakeAgent[], monitorId: string, startMs: number) {
  const acknowledged: string[] = [];
  let stopped = false;
  const run = async (agent: FakeAgent, region: string) => {
    for (let at = startMs; !stopped; at += 1000) {
      await agent.report([goodResult(monitorId, at)]);
      acknowledged.push(`${region} ${at}`);
    }
  };
  const running = agents.map((agent, index) => run(agent, regions[index] ?? ''));
  return {
    acknowledged,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** Sends events, one after the other and again until they are accepted, until stopped. */
function sendEvents(api: Api) {
  const acknowledged: string[] = [];
  let stopped = false;
  const run = async () => {
    for (let number = 0; !stopped; number++) {
      const event = { name: `n${number}`, dedup_id: `d${number}` };
      await until(async () => (await api('POST', '/v0/events', event)).status, 202);
      acknowledged.push(event.name);
    }
  };
  const running = run();
  return {
    acknowledged,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

function storedResults(databaseUrl: string): Promise<string[]> {
  return withSql(databaseUrl, async sql => {
    const rows = await sql.rows<{ region: string; scheduled_at: number }>`
      select region, scheduled_at
      from check_results
      where status = 'ok'`;
    return rows.map(row => `${row.region} ${row.scheduled_at}`);
  });
}

function storedEvents(databaseUrl: string): Promise<string[]> {
  return withSql(databaseUrl, async sql =>
    (await sql.rows<{ name: string }>`select name from events`).map(({ name }) => name),
  );
}

test.serial(
  'a failover to a synchronous standby loses nothing that was acknowledged, and opens each alert once',
  async t => {
    const { failover, databaseUrl, folder, api, agents, monitorId } = site;
    const standby = await failover.addStandby(join(folder, 'first'));
    await standby.makeSynchronous();
    const results = reportResults(agents, monitorId, Date.now() - hourMs);
    const events = sendEvents(api);
    const more = (count: number) => {
      const wanted = [results, events].map(({ acknowledged }) => acknowledged.length + count);
      return until(
        () => [results, events].every(({ acknowledged }, index) => acknowledged.length >= (wanted[index] ?? 0)),
        true,
      );
    };
    await more(20);
    await failover.failOver();
    await more(20);
    await Promise.all([results.stop(), events.stop()]);
    await Promise.all(agents.map(agent => agent.report(badResults(monitorId, Date.now() - 2000))));
    t.deepEqual((await storedResults(databaseUrl)).sort(), results.acknowledged.sort());
    t.deepEqual((await storedEvents(databaseUrl)).sort(), events.acknowledged.sort());
    await until(async () => (await api('GET', '/v0/alerts')).body.data?.length, 1);
  },
);

test.serial('an asynchronous standby lacks what had not arrived, and what comes after it is complete', async t => {
  const { failover, databaseUrl, folder, api, agents, monitorId } = site;
  const [agent] = agents;
  if (agent === undefined) throw new Error('there is no agent');
  await failover.addStandby(join(folder, 'second'));
  failover.cutOff();
  // Both need rows that are written once and staleIfError: a partition, and what is the same in many results.
  const lost = [Date.now() - hourMs / 2, Date.now() - 20 * dayMs];
  const report = (at: number) => agent.report([goodResult(monitorId, at, { remote_ip: '192.0.2.7' })]);
  for (const at of lost) t.deepEqual(await report(at), []);
  await failover.failOver();
  const later = lost.map(at => at + 60_000);
  for (const at of later) t.deepEqual(await report(at), []);
  const stored = await storedResults(databaseUrl);
  for (const at of lost) t.false(stored.includes(`${regions[0]} ${at}`));
  for (const at of later) t.true(stored.includes(`${regions[0]} ${at}`));
  const checks = await api('GET', `/v0/monitors/${monitorId}/checks`);
  const found = checks.body.data.find((check: { scheduled_at: string }) => Date.parse(check.scheduled_at) === later[0]);
  t.is(found?.remote_ip, '192.0.2.7');
});

test.serial('changes that a standby lacks are taken back from agents, and later ones reach them', async t => {
  const { failover, databaseUrl, folder, api, agents, monitorId } = site;
  const [agent] = agents;
  if (agent === undefined) throw new Error('there is no agent');
  const versionOf = (id: string) =>
    agent.messages
      .flatMap(message => (message.type === 'assignments' ? message.put : []))
      .findLast(assignment => assignment.monitor_id === id)?.config_version;
  await failover.addStandby(join(folder, 'third'));
  failover.cutOff();
  t.is((await api('PATCH', `/v0/monitors/${monitorId}`, { interval_seconds: 20 })).status, 200);
  await until(() => versionOf(monitorId), 2);
  // The standby counts its transactions from where it was.
  await withSql(databaseUrl, async sql => {
    for (let count = 0; count < 200; count++) await sql.row`select pg_current_xact_id()`;
  });
  const other = { name: 'other', url: 'http://127.0.0.1:1/', interval_seconds: 10, regions };
  const known = String((await api('POST', '/v0/monitors', other)).body.id);
  await until(() => versionOf(known), 1);
  await failover.failOver();
  const made = await until(
    () => api('POST', '/v0/monitors', other),
    ({ status }) => status === 201,
  );
  await until(() => versionOf(String(made.body.id)), 1);
  await until(() => versionOf(monitorId), 1);
  const dropped = () => agent.messages.flatMap(message => (message.type === 'assignments' ? message.drop : []));
  await until(() => dropped().includes(known), true);
});

test.serial('a version number that is used again is another configuration', async t => {
  const { failover, folder, api, agents, monitorId } = site;
  const [agent] = agents;
  if (agent === undefined) throw new Error('there is no agent');
  const last = () =>
    agent.messages
      .flatMap(message => (message.type === 'assignments' ? message.put : []))
      .findLast(assignment => assignment.monitor_id === monitorId);
  await failover.addStandby(join(folder, 'fourth'));
  failover.cutOff();
  t.is((await api('PATCH', `/v0/monitors/${monitorId}`, { interval_seconds: 20 })).status, 200);
  await until(() => last()?.interval_ms, 20_000);
  await failover.failOver();
  await until(async () => (await api('PATCH', `/v0/monitors/${monitorId}`, { interval_seconds: 30 })).status, 200);
  await until(() => last()?.interval_ms, 30_000);
});
