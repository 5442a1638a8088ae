import { fileURLToPath } from 'node:url';
import { hourMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { apiOf, createTenant, withSql } from '../support/control-plane.ts';
import { withClosedHours } from '../support/current-hours.ts';
import { startAgents } from './harness/agents.ts';
import { openServices } from './harness/services.ts';
import { compareWithTruth, isTrue, readAlerts, waitForAlerts } from './harness/truth.ts';

type Clock = { skewMs: number; rate: number };
const small: readonly Clock[] = [
  { skewMs: hourMs, rate: 1 },
  { skewMs: -hourMs, rate: 1 },
  { skewMs: 0, rate: 1.02 },
];
const full: readonly Clock[] = [
  ...small,
  ...[0.98, 1.005, 0.995].map(rate => ({ skewMs: 0, rate })),
  ...[hourMs, -hourMs].flatMap(skewMs => [0.98, 1, 1.02].map(rate => ({ skewMs, rate }))),
];
const runMs = { small: 20_000, full: 600_000 };
/** A check can be stored late on a busy machine, but never before it was made. */
const aheadMs = 1500;
const behindMs = 15_000;
/** From the cause to the first failed check: an interval, and what a busy machine adds. */
const startWithinMs = 15_000;
const target = { wrongInstants: 0, wrongBuckets: 0, falseAlerts: 0, wrongStarts: 0 };

/** R11: agents whose clocks are an hour wrong or run too fast; their results must land where they belong. */
export async function wrongClocks(run: RowRun): Promise<Row> {
  const clocks = run.full ? full : small;
  const regions = clocks.map((_, index) => `clock-${index}`);
  const site = await openSite(run);
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  const startedAt = Date.now();
  const preload = fileURLToPath(new URL('harness/skewed-clock.ts', import.meta.url));
  const agents = await startAgents(site, run, regions, region => {
    const { skewMs, rate } = clocks[regions.indexOf(region)] ?? { skewMs: 0, rate: 1 };
    const env = { CLOCK_SKEW_MS: String(skewMs), CLOCK_RATE: String(rate) };
    return { env, execArgv: ['--import', preload] };
  });
  const quorum = Math.ceil((regions.length + 1) / 2);
  const services = await openServices(site, run, api, { count: 4, regions, monitor: { quorum } });
  await services.allUp();
  await wait(run.full ? runMs.full : runMs.small);
  const failedAt = services.list.slice(0, 2).map(service => ({ id: service.monitorId, at: service.fail() }));
  await waitForAlerts(site, services);
  const alerts = await readAlerts(site.databaseUrl);
  const delays = failedAt.map(({ id, at }) => {
    const alert = alerts.find(({ monitor_id }) => monitor_id === id);
    return alert === undefined ? Number.POSITIVE_INFINITY : alert.started_at - at;
  });
  const offsets = await readOffsets(site.databaseUrl);
  const truth = await compareWithTruth(site, api, services, agents);
  const wrong = await countWrong(site.databaseUrl, startedAt, Date.now());
  // The start is dated by the first failing check, which cannot lie before the cause.
  const wrongStarts = delays.filter(ms => ms < -aheadMs || ms > startWithinMs).length;
  const skewsSeen = clocks.filter(({ skewMs }) => offsets.some(ms => Math.abs(ms + skewMs) < hourMs / 10)).length;
  return {
    name: 'R11',
    figure: { agents: clocks.length, ...truth, ...wrong, wrongStarts, startMs: delays.map(ms => round(ms, 0)) },
    target,
    pass: isTrue(truth) && wrong.wrongInstants === 0 && wrong.wrongBuckets === 0 && wrongStarts === 0,
    versions: await site.versions(),
    samples: { offsets, skewsSeen },
  };
}

async function readOffsets(databaseUrl: string): Promise<number[]> {
  const rows = await withSql(
    databaseUrl,
    sql => sql.rows<{ clock_offset_ms: number | null }>`select clock_offset_ms from agents order by region`,
  );
  return rows.map(row => row.clock_offset_ms ?? Number.NaN);
}

async function countWrong(databaseUrl: string, fromMs: number, toMs: number) {
  const row = await withClosedHours(
    databaseUrl,
    sql => sql.row<{ instants: number; buckets: number }>`
      select
        (
          select count(*)
          from check_results
          where completed_at > received_at + ${aheadMs} * interval '1 ms'
            or started_at < received_at - ${behindMs} * interval '1 ms'
        ) as instants,
        (
          select count(*)
          from checks_hourly
          where hour < date_trunc('hour', to_timestamp(${fromMs}::double precision / 1000), 'UTC')
            or hour > to_timestamp(${toMs}::double precision / 1000)
        ) as buckets`,
  );
  return { wrongInstants: row?.instants ?? Number.NaN, wrongBuckets: row?.buckets ?? Number.NaN };
}
