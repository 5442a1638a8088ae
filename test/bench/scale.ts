import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProber, summarise } from '../chaos/harness/prober.ts';
import { enrolSwarm, type SwarmCommand, type SwarmReport } from '../chaos/harness/swarm.ts';
import { apiOf, createTenant, until } from '../support/control-plane.ts';
import { cpuSecondsOf } from './cpu.ts';
import { settleStates, writeCopies } from './load/many-monitors.ts';
import { type Program, startProgram } from './program.ts';
import { quantile, type Row, type RowRun, round } from './row.ts';
import { openSite, type Replica, type Site } from './site.ts';

const sizes = {
  small: { agents: 1000, monitors: 100_000, swarms: 2 },
  full: { agents: 10_000, monitors: 1_000_000, swarms: 4 },
};
const target = { currentSeconds: 60, patchP99Ms: 100, apiP99Ms: 500, bytesPerMonitor: 1024, listRatio: 1.5 };
const regions = ['ap-south', 'eu-west', 'us-east'];
/** Most monitors that a plan has, and those of each other project. */
const ofLargest = 20_000;
const ofOthers = 1000;
const patches = 200;
/** While the gateway is down, which must not take so long that its agents are taken to be gone. */
const changes = 20;
const reads = 100;
const gatewayEnv = { ROLES: 'gateway', METRICS_TOKEN: 'metrics' };

type Api = ReturnType<typeof apiOf>;

/** P9: a gateway with many agents on real sockets, over a database of many monitors, and the front beside it. */
export async function measureScale(run: RowRun): Promise<Row> {
  const size = run.full ? sizes.full : sizes.small;
  const site = await openSite(run, { ROLES: 'front,worker' });
  const secrets = await enrolSwarm(site.databaseUrl, regions, size.agents);
  const { projectId, token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  const body = { name: 'Template', url: 'https://example.com/', interval_seconds: 60, regions, quorum: 2 };
  const template = await api('POST', '/v0/monitors', body);
  const ids = await writeCopies(site.databaseUrl, { templateId: template.body.id, projectId, count: ofLargest - 1 });
  await settleStates(site.databaseUrl, regions);
  run.progress(`${size.agents} agents; the largest project has ${ofLargest} monitors`);
  const alone = await readLists(api);
  await writeOthers(run, site, template.body.id, size.monitors);
  const amongMany = await readLists(api);
  run.progress(`lists: ${JSON.stringify({ alone, amongMany })}`);

  let gateway = await site.startReplica('gateway', 0, gatewayEnv);
  const swarm = startSwarm(run, site, gateway, secrets, size.swarms);
  const firstSeconds = await untilCurrent(run, gateway, swarm, size.agents, size.monitors * regions.length);
  const rss = rssMb(gateway.program);
  run.progress(`all agents have their assignments after ${firstSeconds} s; the gateway takes ${rss} MB`);
  const prober = startProber(run, site, site.url, [
    { name: 'monitors', path: '/v0/monitors?limit=50', token, everyMs: 50 },
    { name: 'overview', path: '/v0/overview', token, everyMs: 500 },
  ]);
  const patched = await patchAndFollow(api, swarm, ids);
  run.progress(`PATCH to the last agent: ${JSON.stringify(patched)}`);
  await prober.take();

  const { port } = gateway;
  await gateway.program.end('SIGKILL');
  await until(
    () => swarm.connected(),
    count => count === 0,
    120_000,
  );
  for (const id of ids.slice(-changes)) await api('PATCH', `/v0/monitors/${id}`, { interval_seconds: 90 });
  run.progress(`${changes} monitors were changed while the gateway was down`);
  gateway = await site.startReplica('gateway', port, gatewayEnv);
  const currentSeconds = await untilCurrent(run, gateway, swarm, size.agents, 0);
  const samples = await prober.take();
  const figure = {
    ...size,
    firstSeconds,
    currentSeconds,
    restartCpuSeconds: round(cpuSecondsOf(gateway.program.pid), 1),
    rssMb: rss,
    rssAfterRestartMb: rssMb(gateway.program),
    // What is held without garbage, which grows with the memory of the machine.
    bytesPerMonitor: await measureHeld(run, site, size.agents),
    patchP50Ms: patched.p50Ms,
    patchP99Ms: patched.p99Ms,
    apiP99Ms: summarise(samples, 'monitors').p99Ms,
    overviewP99Ms: summarise(samples, 'overview').p99Ms,
    apiErrors: samples.filter(({ status }) => status !== 200).length,
    lists: amongMany,
    listRatio: round(Math.max(...Object.entries(amongMany).map(([name, ms]) => ms / (alone[name] ?? ms)))),
  };
  const pass =
    figure.currentSeconds < target.currentSeconds &&
    figure.patchP99Ms < target.patchP99Ms &&
    figure.apiP99Ms < target.apiP99Ms &&
    figure.apiErrors === 0 &&
    figure.bytesPerMonitor <= target.bytesPerMonitor &&
    figure.listRatio <= target.listRatio;
  return { name: 'P9', figure, target, pass, versions: await site.versions(), samples: { alone } };
}

async function writeOthers(run: RowRun, site: Site, templateId: string, monitors: number): Promise<void> {
  for (let written = ofLargest; written < monitors; written += ofOthers) {
    const { projectId } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
    await writeCopies(site.databaseUrl, { templateId, projectId, count: Math.min(ofOthers, monitors - written) });
    if (written % 100_000 === 0) run.progress(`${written} monitors`);
  }
  await settleStates(site.databaseUrl, regions);
  run.progress(`${monitors} monitors`);
}

/** Median milliseconds of what people look at, by name. */
async function readLists(api: Api): Promise<Record<string, number>> {
  const first = await api('GET', '/v0/monitors?limit=100');
  let cursor: string = first.body.pagination.next_cursor;
  for (let page = 0; page < 50; page++)
    cursor = (await api('GET', `/v0/monitors?limit=100&cursor=${cursor}`)).body.pagination.next_cursor;
  const paths = {
    firstPage: '/v0/monitors?limit=50',
    deepPage: `/v0/monitors?limit=50&cursor=${cursor}`,
    noneDown: '/v0/monitors?limit=50&status=down',
    search: '/v0/monitors?limit=50&q=monitor%204711',
    overview: '/v0/overview',
    project: '/v0/project',
    regions: '/v0/regions',
  };
  const medians: Record<string, number> = {};
  for (const [name, path] of Object.entries(paths)) {
    const took: number[] = [];
    for (let index = 0; index < reads; index++) {
      const startedAt = performance.now();
      const { status } = await api('GET', path);
      if (status !== 200) throw new Error(`${path}: ${status}`);
      took.push(performance.now() - startedAt);
    }
    medians[name] = round(quantile(took, 0.5), 1);
  }
  return medians;
}

type Swarm = {
  connected(): number;
  assignments(): number;
  /** When each region's agent got this version. */
  arrivals(monitorId: string, version: number): readonly number[];
};

function startSwarm(
  { opened }: RowRun,
  site: Site,
  gateway: Replica,
  secrets: readonly string[],
  count: number,
): Swarm {
  const reports: SwarmReport[] = [];
  const arrivals = new Map<string, number[]>();
  for (let index = 0; index < count; index++) {
    const logFile = join(site.folder, `swarm-${index}.log`);
    const program = opened.use(startProgram('test/chaos/harness/swarm-program.ts', { logFile }));
    program.process.on('message', (report: SwarmReport) => {
      reports[index] = report;
      for (const { monitorId, version, at } of report.put) {
        const key = `${monitorId} ${version}`;
        arrivals.set(key, [...(arrivals.get(key) ?? []), at]);
      }
    });
    const own = secrets.filter((_, place) => place % count === index);
    program.process.send({ type: 'connect', url: gateway.url, secrets: own } satisfies SwarmCommand);
  }
  const sum = (count: (report: SwarmReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  return {
    connected: () => sum(report => report.connected),
    assignments: () => sum(report => report.assignments),
    arrivals: (monitorId, version) => arrivals.get(`${monitorId} ${version}`) ?? [],
  };
}

/** Seconds until all agents are connected, none waits for the plan, and as many assignments as this have come. */
async function untilCurrent(
  run: RowRun,
  gateway: Replica,
  swarm: Swarm,
  agents: number,
  assignments: number,
): Promise<number> {
  const startedAt = performance.now();
  let toldAt = startedAt;
  const isCurrent = async () => {
    if (performance.now() - toldAt > 10_000) {
      toldAt = performance.now();
      run.progress(`${swarm.connected()} connected, ${swarm.assignments()} assignments`);
    }
    if (swarm.connected() < agents || swarm.assignments() < assignments) return false;
    const headers = { authorization: `Bearer ${gatewayEnv.METRICS_TOKEN}` };
    const answer = await fetch(`${gateway.url}/metrics`, { headers }).catch(() => null);
    const text = (await answer?.text()) ?? '';
    return /^upquorum_agents_waiting 0$/m.test(text) && /^upquorum_monitors_held [1-9]/m.test(text);
  };
  await until(isCurrent, current => current, 900_000);
  return round((performance.now() - startedAt) / 1000, 1);
}

/** Changes one monitor after the other: milliseconds from the answer until the last of its agents has it. */
async function patchAndFollow(api: Api, swarm: Swarm, ids: readonly string[]) {
  const took: number[] = [];
  for (let index = 0; index < patches; index++) {
    const id = ids[(index * 7919) % ids.length] ?? '';
    const answer = await api('PATCH', `/v0/monitors/${id}`, { interval_seconds: 120 });
    const at = Date.now();
    const arrived = await until(
      () => swarm.arrivals(id, answer.body.config_version),
      ({ length }) => length >= regions.length,
      20_000,
    );
    took.push(Math.max(...arrived) - at);
  }
  return { p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) };
}

/** Bytes that the plan and the shares of agents take for one more monitor in three regions. */
async function measureHeld({ opened }: RowRun, site: Site, agents: number): Promise<number> {
  const program = opened.use(
    startProgram('test/bench/plan-memory.ts', {
      logFile: join(site.folder, 'plan-memory.log'),
      args: [String(agents)],
      execArgv: ['--expose-gc'],
    }),
  );
  return (await program.message<{ type: 'held'; bytes: number }>('held')).bytes;
}

function rssMb(program: Program): number {
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}
