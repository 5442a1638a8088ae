import type { CheckStatus, FailureSource } from '#shared/check-result.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { MonitorState, Rules, Verdict, VoteValue } from '../monitors/state.ts';
import { type StateRow, toRules, toState } from '../monitors/state-store.ts';
import type { VerdictChange } from './timeline.ts';

type ChangeRow = { since: number; verdict: Verdict; votes: Record<string, VoteValue>; config_version: number };

/** Adds a row as `addChange` of timeline.ts does: rows that start at or after it go. */
export async function writeChange(
  sql: Sql,
  state: Pick<MonitorState, 'monitorId' | 'projectId'>,
  change: VerdictChange,
): Promise<void> {
  const values = [state.monitorId, instant(change.since)];
  await sql.run('delete from verdict_changes where monitor_id = $1 and since >= $2', values);
  await sql.run(
    `insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
     select $1, $2, $3, $4, $5, $6 where $4 is distinct from
       (select verdict from verdict_changes where monitor_id = $1 order by since desc limit 1)`,
    [...values, state.projectId, change.verdict, JSON.stringify(change.votes), change.configVersion],
  );
}

/** Rows that start before `untilMs` and still hold at `fromMs` or start later, in order. */
export async function listChanges(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  untilMs: number,
): Promise<VerdictChange[]> {
  const rows = await sql.rows<ChangeRow>(
    `select since, verdict, votes, config_version from verdict_changes where monitor_id = $1 and since < $3 and since >= coalesce(
       (select max(since) from verdict_changes where monitor_id = $1 and since <= $2), $2) order by since`,
    [monitorId, instant(fromMs), instant(untilMs)],
  );
  return rows.map(row => ({
    since: row.since,
    verdict: row.verdict,
    votes: row.votes,
    configVersion: row.config_version,
  }));
}

export async function replaceChanges(
  sql: Sql,
  state: MonitorState,
  fromMs: number,
  rows: readonly VerdictChange[],
): Promise<void> {
  await sql.run('delete from verdict_changes where monitor_id = $1 and since >= $2', [
    state.monitorId,
    instant(fromMs),
  ]);
  const fresh = rows.filter(row => row.since >= fromMs);
  await sql.run(
    `insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
     select $1, since, $2, verdict, votes, config_version from unnest($3::timestamptz[], $4::text[], $5::json[], $6::integer[])
       as row (since, verdict, votes, config_version)`,
    [
      state.monitorId,
      state.projectId,
      fresh.map(row => instant(row.since)),
      fresh.map(row => row.verdict),
      fresh.map(row => JSON.stringify(row.votes)),
      fresh.map(row => row.configVersion),
    ],
  );
}

/** Locks states whose sweep is due; rows that are being judged are left for the next sweep. */
export async function lockDueStates(sql: Sql, nowMs: number, limit: number): Promise<MonitorState[]> {
  const rows = await sql.rows<StateRow>(
    'select * from monitor_states where sweep_at <= $1 order by sweep_at limit $2 for update skip locked',
    [instant(nowMs), limit],
  );
  return rows.map(toState);
}

/** Monitors with late results, the longest waiting first, without those that are to wait. */
export async function listLate(sql: Sql, without: readonly string[], limit: number): Promise<string[]> {
  const rows = await sql.rows<{ monitor_id: string }>(
    'select monitor_id from monitor_states where replay_from is not null and monitor_id <> all($1::text[]) order by replay_from limit $2',
    [without, limit],
  );
  return rows.map(row => row.monitor_id);
}

/** Codes of quarantined regions. */
export async function quarantinedRegions(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.rows<{ region: string }>('select region from region_faults where until is null');
  return new Set(rows.map(row => row.region));
}

export type StoredBallot = {
  region: string;
  status: CheckStatus;
  failure_source: FailureSource | null;
  attempt: number;
  started_at: number;
  completed_at: number;
  received_at: number;
  config_version: number;
};

/** Results that completed in (from, until], in order of completion. Slots start before their checks end. */
export async function listBallots(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  untilMs: number,
): Promise<StoredBallot[]> {
  return sql.rows<StoredBallot>(
    `select region, status, failure_source, attempt, started_at, completed_at, received_at, config_version from check_results
     where monitor_id = $1 and scheduled_at > $4 and scheduled_at <= $3 and completed_at > $2 and completed_at <= $3 order by completed_at, region, attempt`,
    [monitorId, instant(fromMs), instant(untilMs), instant(fromMs - 600_000)],
  );
}

export type StoredVersion = { rules: Rules; at: number; dropsVotes: boolean; movesFloor: boolean };

/** Versions of a monitor, oldest first. */
export async function listVersions(sql: Sql, monitorId: string): Promise<StoredVersion[]> {
  const rows = await sql.rows<
    Parameters<typeof toRules>[0] & { at: number; drops_votes: boolean; moves_floor: boolean }
  >(
    'select config_version, at, regions, quorum, interval_ms, timeout_ms, enabled, deleted, drops_votes, moves_floor from monitor_versions where monitor_id = $1 order by at, abs(config_version), config_version desc',
    [monitorId],
  );
  return rows.map(row => ({
    at: row.at,
    dropsVotes: row.drops_votes,
    movesFloor: row.moves_floor,
    rules: toRules(row),
  }));
}

/** Quarantines of the regions that touch [from, until]. */
export async function listFaults(
  sql: Sql,
  regions: readonly string[],
  fromMs: number,
): Promise<{ region: string; since: number; until: number | null }[]> {
  return sql.rows(
    'select region, since, until from region_faults where region = any($1::text[]) and (until is null or until > $2) order by since',
    [regions, instant(fromMs)],
  );
}

export async function insertVoteDowns(
  sql: Sql,
  downs: readonly { region: string; monitorId: string }[],
  nowMs: number,
): Promise<void> {
  await sql.run(
    'insert into vote_downs (region, monitor_id, at) select region, monitor_id, $3 from unnest($1::text[], $2::text[]) as down (region, monitor_id)',
    [downs.map(down => down.region), downs.map(down => down.monitorId), instant(nowMs)],
  );
}
