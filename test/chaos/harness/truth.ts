import { audit } from '../../bench/load/audit.ts';
import type { Site } from '../../bench/site.ts';
import { type Api, until, withSql } from '../../support/control-plane.ts';
import type { Agents } from './agents.ts';
import type { Services } from './services.ts';

/** What was stored, compared with what was really checked and really failed. */
export type Truth = {
  requests: number;
  stored: number;
  lost: number;
  /** Rows, or counts of the roll-up, without a check of their own. */
  twice: number;
  hoursOff: number;
  falseAlerts: number;
  /** Services that fail at the end and do not have exactly one alert. */
  outagesWithoutOneAlert: number;
};

const settleWithinMs = 60_000;

/** Pauses all monitors, waits until what was checked is stored, stops the agents and compares. */
export async function compareWithTruth(site: Site, api: Api, services: Services, agents: Agents): Promise<Truth> {
  const { falseAlerts, outagesWithoutOneAlert } = await judgeAlerts(site.databaseUrl, services);
  for (const { monitorId } of services.list) await api('POST', `/v0/monitors/${monitorId}/pause`);
  const missing = async () => services.requests.length - (await countStored(site.databaseUrl));
  await until(missing, count => count <= 0, settleWithinMs).catch(() => null);
  await agents.stop();
  const { stored, twice, hoursOff } = await audit(site.databaseUrl, []);
  const requests = services.requests.length;
  const lost = Math.max(0, requests - stored);
  return { requests, stored, lost, twice, hoursOff, falseAlerts, outagesWithoutOneAlert };
}

/** Whether nothing was lost, stored twice or alerted wrongly. */
export function isTrue({ lost, twice, hoursOff, falseAlerts, outagesWithoutOneAlert, stored }: Truth): boolean {
  return stored > 0 && [lost, twice, hoursOff, falseAlerts, outagesWithoutOneAlert].every(count => count === 0);
}

/** Waits until every failing service has an alert. */
export async function waitForAlerts(site: Site, services: Services, withinMs = 60_000): Promise<void> {
  const failing = services.list.filter(service => service.isFailing).length;
  await until(
    () => readAlerts(site.databaseUrl),
    alerts => alerts.length >= failing,
    withinMs,
  ).catch(() => null);
}

async function judgeAlerts(databaseUrl: string, services: Services) {
  const alerts = (await readAlerts(databaseUrl)).map(alert => alert.monitor_id);
  const failing = services.list.filter(service => service.isFailing).map(service => service.monitorId);
  return {
    falseAlerts: alerts.filter(id => !failing.includes(id)).length,
    outagesWithoutOneAlert: failing.filter(id => alerts.filter(other => other === id).length !== 1).length,
  };
}

/** All alerts. */
export function readAlerts(databaseUrl: string): Promise<{ monitor_id: string; started_at: number }[]> {
  return withSql(
    databaseUrl,
    sql => sql.rows<{ monitor_id: string; started_at: number }>`select monitor_id, started_at from alerts`,
  );
}

async function countStored(databaseUrl: string): Promise<number> {
  const row = await withSql(
    databaseUrl,
    sql => sql.row<{ count: number }>`select count(*) as count from check_results`,
  );
  return row?.count ?? 0;
}

/** Scheduled checks since an instant: how many started more than 250 ms after their slot, and slots without a check. */
export async function countLate(databaseUrl: string, sinceMs: number) {
  const row = await withSql(
    databaseUrl,
    sql => sql.row<{ checks: number; late: number; missed: number }>`
      with scheduled as (
        select monitor_id, region, scheduled_at, started_at
        from check_results
        where kind = 'scheduled'
          and attempt = 1
          and scheduled_at >= to_timestamp(${sinceMs}::double precision / 1000)
      ),
      spans as (
        select count(*) as checks,
          round(extract(epoch from max(scheduled_at) - min(scheduled_at)) / 10) + 1 as slots
        from scheduled
        group by monitor_id, region
      )
      select
        (select count(*) from scheduled) as checks,
        (select count(*) from scheduled where started_at > scheduled_at + interval '250 ms') as late,
        (select coalesce(sum(greatest(slots - checks, 0)), 0)::bigint from spans) as missed`,
  );
  return row ?? { checks: 0, late: Number.NaN, missed: Number.NaN };
}
