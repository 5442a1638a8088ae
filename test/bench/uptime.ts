import PQueue from 'p-queue';
import { apiOf, createRegions, createTenant } from '../support/control-plane.ts';
import { cpuSecondsOf } from './cpu.ts';
import { uptimeDays, writeUptime } from './load/uptime-history.ts';
import { quantile, type Row, type RowRun, round } from './row.ts';
import { openSite } from './site.ts';

const target = { p99Ms: 20 };
const regions = ['ap-south', 'eu-west', 'us-east'];
const monitors = { small: 100, full: 1000 };
const reads = 2000;

/** P6: uptime of 90 days by day, of one monitor after the other: read for the first time, and again. */
export async function measureUptime(run: RowRun): Promise<Row> {
  // No gateway: nothing may correct a history that no check has.
  const site = await openSite(run, { ROLES: 'front' });
  await createRegions(site.databaseUrl, regions);
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  const monitorIds = await createMonitors(api, run.full ? monitors.full : monitors.small);
  run.progress(`${monitorIds.length} monitors`);
  await writeUptime(site.databaseUrl, { monitorIds, regions, nowMs: Date.now() }, run.progress);
  const first = await readUptime(api, monitorIds);
  const cpu = () => ({
    database: cpuSecondsOf(site.postgres().pid),
    controlPlane: cpuSecondsOf(site.controlPlane().pid),
  });
  const before = cpu();
  const again = await readUptime(
    api,
    Array.from({ length: reads }, (_, index) => monitorIds[(index * 7919) % monitorIds.length] ?? ''),
  );
  const after = cpu();
  const perRead = (seconds: number) => round((seconds / reads) * 1000);
  const figure = {
    monitors: monitorIds.length,
    p50Ms: round(quantile(again, 0.5)),
    p99Ms: round(quantile(again, 0.99)),
    controlPlaneCpuMs: perRead(after.controlPlane - before.controlPlane),
    databaseCpuMs: perRead(after.database - before.database),
    firstP50Ms: round(quantile(first, 0.5)),
    firstP99Ms: round(quantile(first, 0.99)),
  };
  const pass = figure.p99Ms <= target.p99Ms;
  return { name: 'P6-uptime', figure, target, pass, versions: await site.versions(), samples: again.length };
}

type Api = ReturnType<typeof apiOf>;

/** Paused monitors in three regions. */
export function createMonitors(api: Api, count: number): Promise<string[]> {
  const queue = new PQueue({ concurrency: 8 });
  const create = async (index: number): Promise<string> => {
    const monitor = { name: `Monitor ${index}`, url: `https://service-${index}.example.com/`, regions };
    const answer = await api('POST', '/v0/monitors', { ...monitor, interval_seconds: 60, enabled: false });
    if (answer.status !== 201) throw new Error(`the monitor was not created: ${JSON.stringify(answer.body)}`);
    return String(answer.body.id);
  };
  return Promise.all(Array.from({ length: count }, (_, index) => queue.add(() => create(index))));
}

async function readUptime(api: Api, monitorIds: readonly string[]): Promise<number[]> {
  const from = new Date(Date.now() - uptimeDays * 86_400_000).toISOString().slice(0, 10);
  const took: number[] = [];
  for (const id of monitorIds) {
    const startedAt = performance.now();
    const { status, body } = await api('GET', `/v0/monitors/${id}/uptime?granularity=day&from=${from}`);
    took.push(performance.now() - startedAt);
    if (status !== 200 || body.data.length < uptimeDays) throw new Error(`${status}: ${body.data?.length} days`);
  }
  return took;
}
