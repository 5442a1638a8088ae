import { join } from 'node:path';
import { wait } from '#shared/wait.ts';
import { cpuSecondsOf } from '../bench/cpu.ts';
import { startProgram } from '../bench/program.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite, type Site } from '../bench/site.ts';
import { apiOf, createTenant, until } from '../support/control-plane.ts';
import { threeRegions } from './harness/agents.ts';
import { startProber, summarise } from './harness/prober.ts';
import { enrolSwarm, type SwarmCommand, type SwarmReport } from './harness/swarm.ts';

const sizes = { small: { agents: 500, monitors: 200 }, full: { agents: 2000, monitors: 3000 } };
const target = { backSeconds: 60, apiP99Ms: 500 };
const share = 0.99;

/** R9: agents with real sockets reconnect by the agents' own rule after the control plane was killed and restarted. */
export async function reconnectAtOnce(run: RowRun): Promise<Row> {
  const size = run.full ? sizes.full : sizes.small;
  const site = await openSite(run, { SWEEP_HOLD_SECONDS: '600' });
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const secrets = await enrolSwarm(site.databaseUrl, threeRegions, size.agents);
  await createMonitors(site, token, size.monitors);
  run.progress(`${size.agents} agents, ${size.monitors} monitors`);
  const swarm = run.opened.use(
    startProgram('test/chaos/harness/swarm-program.ts', { logFile: join(site.folder, 'swarm.log') }),
  );
  let connected = 0;
  let gaveUp = 0;
  swarm.process.on('message', (report: SwarmReport) => ({ connected, gaveUp } = report));
  const connect: SwarmCommand = { type: 'connect', url: site.url, secrets };
  swarm.process.send(connect);
  const wanted = Math.ceil(share * size.agents);
  const firstAt = performance.now();
  await until(
    () => connected,
    count => count >= wanted,
    300_000,
  );
  const firstSeconds = round((performance.now() - firstAt) / 1000, 1);
  run.progress(`connected for the first time after ${firstSeconds} s`);
  const prober = startProber(run, site, site.url, [
    { name: 'api', path: '/v0/monitors?limit=1', token, everyMs: 50 },
    { name: 'healthz', path: '/healthz', everyMs: 50 },
  ]);
  await wait(3000);
  const quiet = summarise(await prober.take(), 'api');

  await site.controlPlane().end('SIGKILL');
  await until(
    () => connected,
    count => count === 0,
  );
  gaveUp = 0;
  await site.startControlPlane();
  const listeningAt = performance.now();
  await prober.take();
  await until(
    () => connected,
    count => count >= wanted,
    300_000,
  );
  const backSeconds = round((performance.now() - listeningAt) / 1000, 1);
  await wait(3000);
  const samples = await prober.take();
  const api = summarise(samples, 'api');
  const figure = {
    agents: size.agents,
    backSeconds,
    apiP99Ms: api.p99Ms,
    apiErrors: api.serverErrors + api.unanswered,
    healthzP99Ms: summarise(samples, 'healthz').p99Ms,
    connected,
    gaveUp,
    cpuSeconds: round(cpuSecondsOf(site.controlPlane().pid), 1),
  };
  const pass = figure.backSeconds < target.backSeconds && figure.apiP99Ms < target.apiP99Ms && figure.apiErrors === 0;
  return { name: 'R9', figure, target, pass, versions: await site.versions(), samples: { firstSeconds, quiet, api } };
}

async function createMonitors(site: Site, token: string, count: number): Promise<void> {
  const api = apiOf(site.url, token);
  for (let index = 0; index < count; index++) {
    const body = { name: `m ${index}`, url: 'https://example.com/', interval_seconds: 60, regions: threeRegions };
    const made = await api('POST', '/v0/monitors', body);
    if (made.status !== 201) throw new Error(`the monitor was not created: ${JSON.stringify(made.body)}`);
  }
}
