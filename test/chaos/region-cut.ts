import { wait } from '#shared/wait.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { apiOf, createTenant, until, withSql } from '../support/control-plane.ts';
import { startRelay } from '../support/relay.ts';
import { startAgents, threeRegions } from './harness/agents.ts';
import { openServices } from './harness/services.ts';
import { compareWithTruth, isTrue, waitForAlerts } from './harness/truth.ts';

/** Longer than the life of a vote, so that the region's votes expire. */
const cutMs = { small: 45_000, full: 15 * 60_000 };
const cutRegion = 'us-east';
const target = { lost: 0, twice: 0, falseAlerts: 0, outagesWithoutOneAlert: 0 };

/** R6: the network of one of three regions carries nothing any more, one service fails meanwhile, and it heals. */
export async function cutRegionOff(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const { token } = await createTenant(site.databaseUrl, ['*', 'agents:operate'], 'enterprise');
  const api = apiOf(site.url, token);
  const relay = run.opened.use(await startRelay([Number(new URL(site.url).port)]));
  const agents = await startAgents(site, run, threeRegions, region => (region === cutRegion ? { url: relay.url } : {}));
  const services = await openServices(site, run, api, { count: 6, regions: threeRegions, monitor: { quorum: 2 } });
  await services.allUp();
  const ms = run.full ? cutMs.full : cutMs.small;
  relay.freeze();
  run.progress(`${cutRegion} is cut off for ${ms / 1000} s`);
  await wait(ms / 2);
  services.list[0]?.fail();
  const failedAt = performance.now();
  await waitForAlerts(site, services, ms / 2);
  const alertSeconds = round((performance.now() - failedAt) / 1000, 1);
  await wait(Math.max(0, ms / 2 - alertSeconds * 1000));
  const seenDuring = await countDown(site.databaseUrl);
  const healedAt = Date.now();
  relay.heal();
  await until(
    () => countOf(site.databaseUrl, cutRegion, healedAt),
    count => count > 0,
    120_000,
  );
  const backSeconds = round((Date.now() - healedAt) / 1000, 1);
  run.progress(`${cutRegion} reports again after ${backSeconds} s`);
  await wait(10_000);
  const truth = await compareWithTruth(site, api, services, agents);
  return {
    name: 'R6',
    figure: { cutSeconds: ms / 1000, ...truth, alertSeconds, backSeconds, monitorsDownDuring: seenDuring },
    target,
    pass: isTrue(truth) && seenDuring === 1,
    versions: await site.versions(),
    samples: { services: services.list.length },
  };
}

async function countDown(databaseUrl: string): Promise<number> {
  const rows = await withSql(databaseUrl, sql => sql.rows`select 1 from monitor_states where verdict = 'down'`);
  return rows.length;
}

async function countOf(databaseUrl: string, region: string, sinceMs: number): Promise<number> {
  const row = await withSql(
    databaseUrl,
    sql => sql.row<{ count: number }>`
      select count(*) as count
      from check_results
      where region = ${region}
        and received_at > to_timestamp(${sinceMs}::double precision / 1000)`,
  );
  return row?.count ?? 0;
}
