import { type CheckStatus, countedAttemptMax, type StoredFailureSource } from '#shared/check-result.ts';
import type { Verdict, VoteValue } from '#shared/vocabulary.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { slotMs } from '../checks/intake/accept.ts';
import type { CertificateWarning } from '../monitors/alert-rules.ts';
import type { MonitorState, Rules } from '../monitors/state/state.ts';
import { type StateRow, stateColumns, toRules, toState } from '../monitors/state/state-store.ts';
import type { RowChanges } from './row-changes.ts';
import type { VerdictCause, VerdictChange, VerdictDecision } from './timeline.ts';

type ChangeRow = {
  since: number;
  verdict: Verdict;
  votes: Record<string, VoteValue>;
  config_version: number;
  decided_at: number | null;
  cause: VerdictCause | null;
  quorum: number | null;
  ballots: VerdictDecision['ballots'] | null;
};

const changeColumns = fragment`since, verdict, votes, config_version, decided_at, cause, quorum, ballots`;

/**
 * Adds a row as `addChange` of timeline.ts does: it replaces rows with the same or a later start, which are returned in
 * order. `since` is the start of the row that holds now: that of the row before, if that has the same verdict and goes
 * on.
 */
export async function writeChange(
  sql: Sql,
  state: Pick<MonitorState, 'monitorId' | 'projectId'>,
  change: VerdictChange,
): Promise<{ since: number; replaced: readonly Pick<VerdictChange, 'verdict' | 'since'>[] }> {
  const replaced = await deleteChanges(sql, state.monitorId, change.since);
  replaced.sort((left, right) => left.since - right.since);
  const row = await sql.row<{ since: number }>`
    with previous as (
      select verdict, since
      from verdict_changes
      where monitor_id = ${state.monitorId}
      order by since desc
      limit 1
    ), inserted as (
      insert into verdict_changes (monitor_id, project_id, ${changeColumns})
      select
        ${state.monitorId},
        ${state.projectId},
        ${instant(change.since)}::timestamptz,
        ${change.verdict},
        ${JSON.stringify(change.votes)}::json,
        ${change.configVersion}::integer,
        ${instant(change.decision?.at ?? null)}::timestamptz,
        ${change.decision?.cause ?? null}::text,
        ${change.decision?.quorum ?? null}::integer,
        ${change.decision ? JSON.stringify(change.decision.ballots) : null}::json
      where ${change.verdict} is distinct from (select verdict from previous)
      returning since
    )
    select since from inserted
    union all
    select since from previous where verdict = ${change.verdict}`;
  return { since: row?.since ?? change.since, replaced };
}

/** Rows that start before `untilMs` and end after `fromMs`, in order. The last row has no end. */
export async function listChanges(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  untilMs: number,
): Promise<VerdictChange[]> {
  const rows = await sql.rows<ChangeRow>`
    select ${changeColumns}
    ${changesBetween(monitorId, fromMs, untilMs)}
    order by since`;
  return rows.map(toChange);
}

/** A part of a monitor's history; with `afterMs` only what starts after that instant. */
export type HistoryPart = { monitorId: string; fromMs: number; untilMs: number; afterMs: number | null };

/** The same without votes and versions, read as one text: a report on uptime has many rows and needs no more. */
export async function listVerdicts(
  sql: Sql,
  { monitorId, fromMs, untilMs, afterMs }: HistoryPart,
  limit: number,
): Promise<{ since: number; verdict: Verdict; source?: string }[]> {
  const row = await sql.row<{ changes: string | null }>`
    select string_agg(
      (extract(epoch from since) * 1000)::bigint || ' ' || verdict
        || case when imported_from is null then '' else ' imported' end,
      ';' order by since
    ) as changes
    from (
      select since, verdict, imported_from
      ${afterMs === null ? changesBetween(monitorId, fromMs, untilMs) : changesAfter(monitorId, afterMs, untilMs)}
      order by since
      limit ${limit}
    ) as part`;
  const changes = row?.changes?.split(';') ?? [];
  return changes.map(change => {
    const [since = '', verdict = '', source] = change.split(' ');
    return { since: Number(since), verdict: verdict as Verdict, ...(source === undefined ? {} : { source }) };
  });
}

function changesAfter(monitorId: string, afterMs: number, untilMs: number): Fragment {
  return fragment`
    from verdict_changes
    where monitor_id = ${monitorId}
      and since > ${instant(afterMs)}
      and since < ${instant(untilMs)}`;
}

function changesBetween(monitorId: string, fromMs: number, untilMs: number): Fragment {
  return fragment`
    from verdict_changes
    where monitor_id = ${monitorId}
      and since < ${instant(untilMs)}
      and since >= coalesce(
        (select max(since) from verdict_changes where monitor_id = ${monitorId} and since <= ${instant(fromMs)}),
        ${instant(fromMs)}
      )`;
}

function toChange({ config_version, decided_at, cause, quorum, ballots, ...row }: ChangeRow): VerdictChange {
  const isKnown = decided_at !== null && cause !== null && quorum !== null && ballots !== null;
  const decision = isKnown ? { at: decided_at, cause, quorum, ballots } : null;
  return { ...row, configVersion: config_version, decision };
}

/** Replaces rows of the history by others. Throws if one of them is not there any more. */
export async function replaceChanges(sql: Sql, state: MonitorState, { gone, added }: RowChanges): Promise<void> {
  const deleted = await sql.rows<Pick<ChangeRow, 'verdict' | 'since'> & { revised: boolean }>`
    delete from verdict_changes
    where monitor_id = ${state.monitorId} and since = any(${gone.map(since => instant(since))}::timestamptz[])
    returning verdict, since, revised`;
  if (deleted.length < gone.length) throw new Error('the history changed while it was computed again');
  const revised = new Map(deleted.map(row => [`${row.verdict} ${row.since}`, row.revised]));
  await sql.run`
    insert into verdict_changes (monitor_id, project_id, revised, ${changeColumns})
    select ${state.monitorId}, ${state.projectId}, revised, ${changeColumns}
    from unnest(
      ${added.map(row => instant(row.since))}::timestamptz[],
      ${added.map(row => row.verdict)}::text[],
      ${added.map(row => JSON.stringify(row.votes))}::json[],
      ${added.map(row => row.configVersion)}::integer[],
      ${added.map(row => instant(row.decision?.at ?? null))}::timestamptz[],
      ${added.map(row => row.decision?.cause ?? null)}::text[],
      ${added.map(row => row.decision?.quorum ?? null)}::integer[],
      ${added.map(row => (row.decision ? JSON.stringify(row.decision.ballots) : null))}::json[],
      ${added.map(row => revised.get(`${row.verdict} ${row.since}`) ?? true)}::boolean[]
    ) as row (${changeColumns}, revised)`;
}

async function deleteChanges(
  sql: Sql,
  monitorId: string,
  fromMs: number,
): Promise<Pick<ChangeRow, 'verdict' | 'since'>[]> {
  return sql.rows`
    delete from verdict_changes
    where monitor_id = ${monitorId} and since >= ${instant(fromMs)}
    returning verdict, since`;
}

/** Locks states whose sweep is due. Rows locked by judging are skipped until the next sweep. */
export async function lockDueStates(sql: Sql, nowMs: number, limit: number): Promise<MonitorState[]> {
  const rows = await sql.rows<StateRow>`
    select ${stateColumns}
    from monitor_states
    where sweep_at <= ${instant(nowMs)}
    order by sweep_at
    limit ${limit}
    for update skip locked`;
  return rows.map(toState);
}

/** A stored result, as far as judging needs it. */
export type StoredObservation = {
  region: string;
  status: CheckStatus;
  failure_source: StoredFailureSource | null;
  attempt: number;
  started_at: number;
  completed_at: number;
  received_at: number;
  config_version: number;
};

/** Results that completed in (from, until], in order of completion. */
export async function listObservations(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  untilMs: number,
): Promise<StoredObservation[]> {
  return sql.rows<StoredObservation>`
    select region, status, failure_source, attempt, started_at, completed_at, received_at, config_version
    from check_results
    where ${observedIn(monitorId, fromMs, untilMs)}
    order by completed_at, region, attempt`;
}

/** Whether a result completed in (from, until] and may vote. */
export function observedIn(monitorId: string, fromMs: number, untilMs: number): Fragment {
  return fragment`
    monitor_id = ${monitorId}
      -- What did not come has the time at which it was expected, up to a week of grace before.
      and scheduled_at > ${instant(fromMs - slotMs)}::timestamptz
        - case when region = 'heartbeat' then interval '15 days' else interval '0' end
      and scheduled_at <= ${instant(untilMs)}
      and completed_at > ${instant(fromMs)}
      and completed_at <= ${instant(untilMs)}
      and not (kind in ('signal', 'lookup') and attempt > ${countedAttemptMax})`;
}

/** One version of a monitor's rules and what its start did to votes and verdict. */
export type StoredVersion = {
  rules: Rules;
  at: number;
  dropsVotes: boolean;
  resetsStart: boolean;
  warning: CertificateWarning;
};

/** Versions of a monitor, oldest first. */
export async function listVersions(sql: Sql, monitorId: string): Promise<StoredVersion[]> {
  const rows = await sql.rows<
    Parameters<typeof toRules>[0] & {
      at: number;
      drops_votes: boolean;
      moves_floor: boolean;
      certificate_warning: CertificateWarning;
    }
  >`
    select
      config_version, at, regions, quorum, interval_ms, timeout_ms, enabled, deleted, drops_votes, moves_floor,
      certificate_warning
    from monitor_versions
    where monitor_id = ${monitorId}
    order by at, abs(config_version), config_version desc`;
  return rows.map(row => ({
    at: row.at,
    dropsVotes: row.drops_votes,
    resetsStart: row.moves_floor,
    warning: row.certificate_warning,
    rules: toRules(row),
  }));
}
