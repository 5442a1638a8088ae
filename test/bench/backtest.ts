import { loadavg } from 'node:os';
import { createPools } from '#control-plane/platform/db/pool.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { instant, sqlOf } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { createLog } from '#shared/log.ts';
import { apiOf, createRegions, createTenant } from '../support/control-plane.ts';
import { cpuSecondsOf } from './cpu.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite } from './site.ts';

const target = { rulesSeconds: 2 };
const regions = ['ap-south', 'eu-west', 'us-east'];
const days = 7;
const runs = 5;
const outcome = { index: 0, type: 'status', passed: true, expected: 'status in ["200-299"]', actual: '200' };
const detail = JSON.stringify({ timings: null, error: null, assertions: [outcome], remote_ip: null, tls: null });

/** Back-tests of a week of a 30-second monitor in three regions, with an outage of five minutes every six hours. */
export async function measureBacktest(run: RowRun): Promise<Row> {
  const site = await openSite(run, { ROLES: 'front' });
  await createRegions(site.databaseUrl, regions);
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  const monitor = { name: 'Shop', url: 'https://shop.example.com/', regions, interval_seconds: 30 };
  const created = await api('POST', '/v0/monitors', monitor);
  const id = String(created.body.id);
  const to = Math.floor(Date.now() / hourMs) * hourMs;
  const from = to - days * dayMs;
  await writeResults(site.databaseUrl, id, from, to);
  run.progress('the results are stored');
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const loadBefore = loadavg()[0] ?? 0;
  let [results, alerts] = [0, 0];
  const measure = async (changes: unknown): Promise<number> => {
    const took: number[] = [];
    for (let round = 0; round < runs; round++) {
      const startedAt = performance.now();
      const { status, body } = await api('POST', `/v0/monitors/${id}/backtest`, { ...range, changes });
      took.push((performance.now() - startedAt) / 1000);
      if (status !== 200 || body.after === null) throw new Error(`${status}: ${JSON.stringify(body)}`);
      [results, alerts] = [body.results, body.before.alerts.length];
    }
    return round(median(took));
  };
  const cpu = () => ({
    database: cpuSecondsOf(site.postgres().pid),
    controlPlane: cpuSecondsOf(site.controlPlane().pid),
  });
  const cpuBefore = cpu();
  const rulesSeconds = await measure({ quorum: 3, alert_rules: { confirm_seconds: 60 } });
  const cpuAfter = cpu();
  const perRun = (name: 'database' | 'controlPlane') => round((cpuAfter[name] - cpuBefore[name]) / runs);
  const cpuSeconds = { database: perRun('database'), controlPlane: perRun('controlPlane') };
  const assertionSeconds = await measure({ assertions: [{ type: 'status', operator: 'lt', value: 400 }] });
  const figure = { results, alerts, rulesSeconds, cpuSeconds, assertionSeconds, loadAverage: round(loadBefore, 1) };
  const pass = rulesSeconds < target.rulesSeconds;
  return { name: 'backtest', figure, target, pass, versions: await site.versions(), samples: runs };
}

async function writeResults(databaseUrl: string, id: string, from: number, to: number): Promise<void> {
  const pools = createPools(databaseUrl, createLog({ name: 'bench', level: 'silent' }));
  try {
    const sql = sqlOf(pools.background);
    const stored = await sql.row<{ edition: Edition }>`select edition from storage_edition`;
    const series = await openSeries(pools.background, sql, stored?.edition ?? 'plain');
    await series.ensure(
      'check_results',
      Array.from({ length: days + 2 }, (_, day) => from + day * dayMs),
    );
    const start = instant(from - dayMs);
    await sql.run`update monitor_versions set at = ${start} where monitor_id = ${id}`;
    await sql.run`update alert_rule_versions set at = ${start} where monitor_id = ${id}`;
    await sql.run`update verdict_changes set since = ${start} where monitor_id = ${id}`;
    await sql.run`
      insert into check_results (
        monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version, started_at,
        completed_at, received_at, latency_ms, status_code, detail
      )
      select ${id}, slot, region, 'scheduled', case when failed then 2 else 1 end,
        case when failed then 'err' else 'ok' end,
        case when failed then 'target' end, 'agt_1', 1, slot, slot + interval '200 ms', slot + interval '300 ms', 180,
        case when failed then 503 else 200 end, ${detail}::json
      from generate_series(
        ${instant(from)}::timestamptz, ${instant(to - 1)}::timestamptz, interval '30 seconds'
      ) as slot
      cross join unnest(${regions}::text[]) as r (region)
      cross join lateral (
        select extract(epoch from slot)::bigint % 21600 < 300 and region <> 'us-east' as failed
      ) as outage`;
    await sql.run`analyze check_results`;
  } finally {
    await pools.end();
  }
}
