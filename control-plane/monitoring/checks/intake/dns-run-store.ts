import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { Run } from './dns-runs.ts';

/** What is known of a monitor's records in one region. `targetAt`: when the version came into force that asks. */
export type RegionRuns = {
  monitorId: string;
  region: string;
  projectId: string;
  target: string;
  targetAt: number;
  runs: readonly Run[];
};

export async function listRuns(sql: Sql, monitorIds: readonly string[]): Promise<RegionRuns[]> {
  const rows = await sql.rows<{
    monitor_id: string;
    region: string;
    project_id: string;
    target: string;
    target_at: number;
    runs: Run[];
  }>`
    select monitor_id, region, project_id, target, target_at, runs
    from dns_runs
    where monitor_id = any(${monitorIds}::text[])`;
  return rows.map(row => ({
    monitorId: row.monitor_id,
    region: row.region,
    projectId: row.project_id,
    target: row.target,
    targetAt: row.target_at,
    runs: row.runs,
  }));
}

/** The caller has locked the states of the monitors. */
export async function saveRuns(sql: Sql, all: readonly RegionRuns[]): Promise<void> {
  if (all.length === 0) return;
  await sql.run`
    insert into dns_runs (monitor_id, region, project_id, target, target_at, last_at, runs)
    select monitor_id, region, project_id, target, target_at, last_at, runs::json
    from unnest(
      ${all.map(({ monitorId }) => monitorId)}::text[],
      ${all.map(({ region }) => region)}::text[],
      ${all.map(({ projectId }) => projectId)}::text[],
      ${all.map(({ target }) => target)}::text[],
      ${all.map(({ targetAt }) => instant(targetAt))}::timestamptz[],
      ${all.map(({ runs, targetAt }) => instant(runs.at(-1)?.to ?? targetAt))}::timestamptz[],
      ${all.map(({ runs }) => JSON.stringify(runs))}::text[]
    ) as given (monitor_id, region, project_id, target, target_at, last_at, runs)
    on conflict (monitor_id, region) do update
    set target = excluded.target,
      target_at = excluded.target_at,
      last_at = excluded.last_at,
      runs = excluded.runs`;
}

/** Those of regions that have found nothing since the instant. */
export async function deleteDnsRunsBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from dns_runs where last_at < ${instant(beforeMs)}`;
}
