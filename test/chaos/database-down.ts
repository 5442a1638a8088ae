import { wait } from '#shared/wait.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { apiOf, createTenant, until } from '../support/control-plane.ts';
import { killServer } from './database-kill.ts';
import { startAgents, threeRegions } from './harness/agents.ts';
import { startProber, summarise } from './harness/prober.ts';
import { openServices } from './harness/services.ts';
import { compareWithTruth, isTrue, waitForAlerts } from './harness/truth.ts';

const downMs = { small: 30_000, full: 600_000 };
const target = { lost: 0, twice: 0, falseAlerts: 0, outagesWithoutOneAlert: 0, pageAvailability: 1 };

/** R5: the database is away, one service fails meanwhile, and the database comes back. */
export async function databaseDown(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  await api('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme' });
  const agents = await startAgents(site, run);
  const services = await openServices(site, run, api, { count: 6, regions: threeRegions, monitor: { quorum: 2 } });
  await services.allUp();
  await until(async () => (await apiOf(site.url, '')('GET', '/status/acme')).status, 200);
  const prober = startProber(run, site, site.url, [
    { name: 'page', path: '/status/acme', everyMs: 100 },
    { name: 'healthz', path: '/healthz', everyMs: 200 },
    { name: 'api', path: '/v0/monitors?limit=1', token, everyMs: 500 },
  ]);
  await wait(2000);
  const ms = run.full ? downMs.full : downMs.small;
  killServer(site);
  await prober.take();
  run.progress(`the database is down for ${ms / 1000} s`);
  await wait(ms / 3);
  services.list[0]?.fail();
  await wait((2 * ms) / 3);
  await site.restartDatabase();
  const backAt = performance.now();
  const samples = await prober.take();
  await waitForAlerts(site, services);
  const alertSeconds = round((performance.now() - backAt) / 1000, 1);
  run.progress(`the alert opened ${alertSeconds} s after the database was back`);
  await wait(10_000);
  const [page, healthz, calls] = ['page', 'healthz', 'api'].map(name => summarise(samples, name));
  const served = samples.filter(sample => sample.name === 'page' && sample.status === 200).length;
  const pageAvailability = round(served / Math.max(1, page?.requests ?? 0), 4);
  const truth = await compareWithTruth(site, api, services, agents);
  return {
    name: 'R5',
    figure: { downSeconds: ms / 1000, ...truth, pageAvailability, pageP99Ms: page?.p99Ms, alertSeconds },
    target,
    pass: isTrue(truth) && pageAvailability === 1 && site.controlPlane().process.exitCode === null,
    versions: await site.versions(),
    samples: { page, healthz, calls },
  };
}
