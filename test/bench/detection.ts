import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { wait } from '#shared/wait.ts';
import { apiOf, createRegions, createTenant, until, withSql } from '../support/control-plane.ts';
import { startProgram } from './program.ts';
import { quantile, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

type Monitored = { monitorId: string; server: Server };
type Outage = { monitorId: string; stoppedAt: number };

const regions = ['ap-south', 'eu-west', 'us-east'];
const intervalSeconds = 30;
const outages = { small: 60, full: 200 };
const target = { p50OfInterval: 0.25, p99OfInterval: 0.45 };

/** P5: targets stop listening one by one; measures the time until each alert is stored. Three real agents, quorum 2. */
export async function measureDetection(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  await startAgents(site, run);
  const monitored = await openTargets(site, run, token, run.full ? outages.full : outages.small);
  await until(
    () => countUp(site.databaseUrl),
    up => up === monitored.length,
    2 * intervalSeconds * 1000,
  );
  run.progress(`${monitored.length} monitors are up`);
  // By then each region has had its first slot, so that no initial check helps to detect an outage.
  await wait(intervalSeconds * 1000);
  const stopped = await Promise.all(monitored.map(monitor => stopAtRandom(monitor, intervalSeconds * 2000)));
  const detected = await until(
    () => readDetections(site.databaseUrl, stopped),
    found => found.length === stopped.length,
    2 * intervalSeconds * 1000,
  );
  const shares = detected.map(ms => ms / (intervalSeconds * 1000));
  const [p50OfInterval, p99OfInterval] = [round(quantile(shares, 0.5)), round(quantile(shares, 0.99))];
  return {
    name: 'P5',
    figure: { p50OfInterval, p99OfInterval, worstMs: Math.max(...detected), outages: detected.length },
    target,
    pass: p50OfInterval <= target.p50OfInterval && p99OfInterval <= target.p99OfInterval,
    versions: await site.versions(),
    samples: { detectedMs: detected.toSorted((left, right) => left - right) },
  };
}

async function startAgents(site: Site, { opened, progress }: RowRun): Promise<void> {
  const secrets = await createRegions(site.databaseUrl, regions);
  for (const region of regions) {
    const env = {
      CONTROL_PLANE_URL: site.url,
      AGENT_SECRET: secrets[region]?.secret ?? '',
      DATA_DIR: join(site.folder, `agent-${region}`),
      ADDRESS_POLICY: 'loopback',
      LOG_LEVEL: 'warn',
    };
    opened.use(startProgram('agent/main.ts', { env, logFile: join(site.folder, `agent-${region}.log`) }));
  }
  await until(
    () => withSql(site.databaseUrl, sql => sql.rows`select 1 from agents where online`),
    rows => rows.length === regions.length,
  );
  progress('three agents are online');
}

/** Targets listen in this process, so that the end of each is known exactly. */
async function openTargets(site: Site, { opened }: RowRun, token: string, count: number): Promise<Monitored[]> {
  const api = apiOf(site.url, token);
  const monitored: Monitored[] = [];
  for (let index = 0; index < count; index++) {
    const server = createServer((_, response) => response.end('ok'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    opened.defer(() => refuse(server));
    const answer = await api('POST', '/v0/monitors', {
      name: `Monitor ${index}`,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      interval_seconds: intervalSeconds,
      regions,
      quorum: 2,
    });
    if (answer.status !== 201) throw new Error(`the monitor was not created: ${JSON.stringify(answer.body)}`);
    monitored.push({ monitorId: String(answer.body.id), server });
  }
  return monitored;
}

async function countUp(databaseUrl: string): Promise<number> {
  const rows = await withSql(databaseUrl, sql => sql.rows`select 1 from monitor_states where verdict = 'up'`);
  return rows.length;
}

async function stopAtRandom({ monitorId, server }: Monitored, withinMs: number): Promise<Outage> {
  await wait(Math.random() * withinMs);
  refuse(server);
  return { monitorId, stoppedAt: Date.now() };
}

function refuse(server: Server): void {
  server.close();
  server.closeAllConnections();
}

/** Milliseconds from the end of each target to its alert, for targets with an alert. */
async function readDetections(databaseUrl: string, stopped: readonly Outage[]): Promise<number[]> {
  const rows = await withSql(
    databaseUrl,
    sql => sql.rows<{ monitor_id: string; created_at: number }>`select monitor_id, created_at from alerts`,
  );
  const alerts = new Map(rows.map(row => [row.monitor_id, row.created_at]));
  return stopped.flatMap(({ monitorId, stoppedAt }) => {
    const openedAt = alerts.get(monitorId);
    return openedAt === undefined ? [] : [openedAt - stoppedAt];
  });
}
