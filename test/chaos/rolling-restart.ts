import { wait } from '#shared/wait.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { apiOf, createTenant, until } from '../support/control-plane.ts';
import { startRelay } from '../support/relay.ts';
import { startAgents, threeRegions } from './harness/agents.ts';
import { startProber, summarise } from './harness/prober.ts';
import { openServices } from './harness/services.ts';
import { compareWithTruth, countLate, isTrue } from './harness/truth.ts';

const services = { small: 30, full: 120 };
const settleMs = 5000;
const target = { lateShare: 0.001, missed: 0, lost: 0, twice: 0, falseAlerts: 0 };

/** R10: three replicas behind a balancer are restarted one after the other while agents check and clients call. */
export async function restartRolling(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  let second = await site.startReplica('second');
  let third = await site.startReplica('third');
  const balancer = run.opened.use(await startRelay([Number(new URL(site.url).port), second.port, third.port]));
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(balancer.url, token);
  const agents = await startAgents(site, run, threeRegions, () => ({ url: balancer.url }));
  const count = run.full ? services.full : services.small;
  const checked = await openServices(site, run, api, { count, regions: threeRegions, monitor: { quorum: 2 } });
  await checked.allUp();
  const prober = startProber(run, site, balancer.url, [
    { name: 'api', path: '/v0/monitors?limit=1', token, everyMs: 100 },
  ]);
  const quietSince = Date.now();
  await wait(10_000);
  const quiet = await countLate(site.databaseUrl, quietSince);
  const since = Date.now();
  await prober.take();
  for (const restart of [
    async () => {
      await site.controlPlane().end('SIGTERM');
      await site.startControlPlane();
      return site.url;
    },
    async () => {
      await second.program.end('SIGTERM');
      second = await site.startReplica('second', second.port);
      return second.url;
    },
    async () => {
      await third.program.end('SIGTERM');
      third = await site.startReplica('third', third.port);
      return third.url;
    },
  ]) {
    const startedAt = performance.now();
    const url = await restart();
    await until(async () => (await apiOf(url, '')('GET', '/readyz')).status, 200, 60_000);
    run.progress(`restarted in ${round((performance.now() - startedAt) / 1000, 1)} s`);
    await wait(settleMs);
  }
  const client = summarise(await prober.take(), 'api');
  const { checks, late, missed } = await countLate(site.databaseUrl, since);
  const truth = await compareWithTruth(site, api, checked, agents);
  const lateShare = round(late / Math.max(1, checks), 4);
  const figure = {
    checks,
    lateShare,
    missed,
    ...truth,
    clientErrors: client.serverErrors + client.unanswered,
    clientP99Ms: client.p99Ms,
  };
  return {
    name: 'R10',
    figure,
    target,
    pass: lateShare < target.lateShare && missed === 0 && isTrue(truth),
    versions: await site.versions(),
    samples: { quiet, client },
  };
}
