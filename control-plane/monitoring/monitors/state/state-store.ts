import type { Verdict } from '#shared/vocabulary.ts';
import { instants, jsons, texts } from '../../../platform/db/binary-array.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { CertificateState, MonitorState, Rules, Votes } from './state.ts';

/** A row of `monitor_states`, read with `stateColumns`. */
export type StateRow = {
  monitor_id: string;
  project_id: string;
  config_version: number;
  regions: string[];
  quorum: number;
  interval_ms: number;
  timeout_ms: number;
  enabled: boolean;
  deleted: boolean;
  verdict: Verdict;
  since: number;
  floor: number;
  votes: Votes;
  confirmed_at: number | null;
  sweep_at: number | null;
  replay_from: number | null;
  certificates: CertificateState | null;
  open_hour: string | null;
};

const ruleColumns = fragment`config_version, regions, quorum, interval_ms, timeout_ms, enabled, deleted`;
const judgedColumns = fragment`verdict, since, floor, votes, confirmed_at, sweep_at, replay_from`;
export const stateColumns = fragment`monitor_id, project_id, ${ruleColumns}, ${judgedColumns}, certificates, open_hour`;

/** The state without a lock: for reading, not for deciding. Null if there is no such monitor. */
export async function findState(sql: Sql, monitorId: string): Promise<MonitorState | null> {
  const row = await sql.row<StateRow>`
    select ${stateColumns}
    from monitor_states
    where monitor_id = ${monitorId}`;
  return row === null ? null : toState(row);
}

/** Reads the states and locks their rows in id order, which keeps judging serial and free of deadlocks. */
export async function lockStates(sql: Sql, monitorIds: readonly string[]): Promise<MonitorState[]> {
  const rows = await sql.rows<StateRow>`
    select ${stateColumns}
    from monitor_states
    where monitor_id = any(${monitorIds}::text[])
    order by monitor_id
    for update`;
  return rows.map(toState);
}

/**
 * Locks the rows as `lockStates` does, but reads only their versions: the transaction that wrote each. `ownVersion` is
 * that of this transaction, `server` differs after a restart or on another server.
 */
export async function lockVersions(
  sql: Sql,
  monitorIds: readonly string[],
): Promise<{ rows: { monitorId: string; version: string }[]; ownVersion: string; server: string }> {
  // Two texts: a row per state takes our side ten times as long.
  const row = await sql.row<{ ids: string | null; versions: string | null; own_version: string; server: string }>`
    select
      string_agg(monitor_id, ' ') as ids,
      string_agg(version, ' ') as versions,
      pg_current_xact_id()::xid::text as own_version,
      pg_postmaster_start_time()::text as server
    from (
      select monitor_id, xmin::text as version
      from monitor_states
      where monitor_id = any(${monitorIds}::text[])
      order by monitor_id
      for update
    ) as locked`;
  const versions = row?.versions?.split(' ') ?? [];
  const rows = (row?.ids?.split(' ') ?? []).map((monitorId, index) => ({ monitorId, version: versions[index] ?? '' }));
  return { rows, ownVersion: row?.own_version ?? '', server: row?.server ?? '' };
}

/** States whose rows this transaction has locked. */
export async function findStates(sql: Sql, monitorIds: readonly string[]): Promise<MonitorState[]> {
  if (monitorIds.length === 0) return [];
  const rows = await sql.rows<StateRow>`
    select ${stateColumns}
    from monitor_states
    where monitor_id = any(${monitorIds}::text[])`;
  return rows.map(toState);
}

export async function insertState(sql: Sql, state: MonitorState): Promise<void> {
  const { rules } = state;
  await sql.run`
    insert into monitor_states (monitor_id, project_id, ${ruleColumns}, ${judgedColumns})
    values (
      ${state.monitorId},
      ${state.projectId},
      ${rules.configVersion},
      ${rules.regions},
      ${rules.quorum},
      ${rules.intervalMs},
      ${rules.timeoutMs},
      ${rules.enabled},
      ${rules.deleted},
      ${state.verdict},
      ${instant(state.since)},
      ${instant(state.earliestStart)},
      ${JSON.stringify(state.votes)},
      ${instant(state.confirmedAt)},
      ${instant(state.sweepAt)},
      ${instant(state.replayFrom)}
    )`;
}

/** Writes the rules of one state, and the verdict and votes that follow from them. */
export async function writeRules(sql: Sql, state: MonitorState): Promise<void> {
  const { rules } = state;
  await sql.run`
    update monitor_states
    set config_version = ${rules.configVersion},
      regions = ${rules.regions},
      quorum = ${rules.quorum},
      interval_ms = ${rules.intervalMs},
      timeout_ms = ${rules.timeoutMs},
      enabled = ${rules.enabled},
      deleted = ${rules.deleted}
    where monitor_id = ${state.monitorId}`;
  await writeStates(sql, [state]);
}

/** The next version of each, by the same rules. */
export async function raiseStates(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`
    update monitor_states
    set config_version = config_version + 1
    where monitor_id = any(${monitorIds}::text[])`;
}

/** Writes what judging changed, in one statement. Indexed columns change rarely, so most updates stay in their page. */
export async function writeStates(sql: Sql, states: readonly MonitorState[]): Promise<void> {
  if (states.length === 0) return;
  await sql.run`
    update monitor_states as s
    set verdict = n.verdict,
      since = n.since,
      floor = n.floor,
      votes = n.votes,
      confirmed_at = n.confirmed_at,
      sweep_at = n.sweep_at,
      replay_from = n.replay_from
    from unnest(
      ${texts(states.map(state => state.monitorId))}::text[],
      ${texts(states.map(state => state.verdict))}::text[],
      ${instants(states.map(state => state.since))}::timestamptz[],
      ${instants(states.map(state => state.earliestStart))}::timestamptz[],
      ${jsons(states.map(state => JSON.stringify(state.votes)))}::json[],
      ${instants(states.map(state => state.confirmedAt))}::timestamptz[],
      ${instants(states.map(state => state.sweepAt))}::timestamptz[],
      ${instants(states.map(state => state.replayFrom))}::timestamptz[]
    ) as n (monitor_id, ${judgedColumns})
    where s.monitor_id = n.monitor_id`;
}

/** Writes what results change nearly always, in one statement: the votes and the current hour. */
export async function writeVotes(sql: Sql, states: readonly MonitorState[]): Promise<void> {
  if (states.length === 0) return;
  await sql.run`
    update monitor_states as s
    set votes = n.votes, open_hour = n.open_hour
    from unnest(
      ${texts(states.map(state => state.monitorId))}::text[],
      ${jsons(states.map(state => JSON.stringify(state.votes)))}::json[],
      ${texts(states.map(state => state.currentHour))}::text[]
    ) as n (monitor_id, votes, open_hour)
    where s.monitor_id = n.monitor_id`;
}

/** Writes current hours, of states whose other columns are written apart. */
export async function writeCurrentHours(
  sql: Sql,
  states: readonly Pick<MonitorState, 'monitorId' | 'currentHour'>[],
): Promise<void> {
  if (states.length === 0) return;
  await sql.run`
    update monitor_states as s
    set open_hour = n.open_hour
    from unnest(
      ${texts(states.map(state => state.monitorId))}::text[],
      ${texts(states.map(state => state.currentHour))}::text[]
    ) as n (monitor_id, open_hour)
    where s.monitor_id = n.monitor_id`;
}

/** Current hours by monitor, of those that have one. */
export async function readCurrentHours(sql: Sql, monitorIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.rows<{ monitor_id: string; open_hour: string }>`
    select monitor_id, open_hour
    from monitor_states
    where monitor_id = any(${monitorIds}::text[]) and open_hour is not null`;
  return new Map(rows.map(row => [row.monitor_id, row.open_hour]));
}

/** What a locked state knows of certificates. `dueAt`: when time alone changes it; null if it does not. */
export type CertificateChange = { monitorId: string; certificates: CertificateState | null; dueAt: number | null };

export async function writeCertificates(sql: Sql, changes: readonly CertificateChange[]): Promise<void> {
  if (changes.length === 0) return;
  const texted = changes.map(({ certificates }) => (certificates === null ? null : JSON.stringify(certificates)));
  await sql.run`
    update monitor_states as s
    set certificates = n.certificates, certificates_due_at = n.due_at
    from unnest(
      ${texts(changes.map(({ monitorId }) => monitorId))}::text[],
      ${jsons(texted)}::json[],
      ${instants(changes.map(({ dueAt }) => dueAt))}::timestamptz[]
    ) as n (monitor_id, certificates, due_at)
    where s.monitor_id = n.monitor_id`;
}

export function toState(row: StateRow): MonitorState {
  return {
    monitorId: row.monitor_id,
    projectId: row.project_id,
    rules: toRules(row),
    verdict: row.verdict,
    since: row.since,
    earliestStart: row.floor,
    votes: row.votes,
    confirmedAt: row.confirmed_at,
    sweepAt: row.sweep_at,
    replayFrom: row.replay_from,
    certificates: row.certificates,
    currentHour: row.open_hour,
  };
}

/** The rules in a row of states or versions. */
export function toRules(
  row: Pick<StateRow, 'config_version' | 'regions' | 'quorum' | 'interval_ms' | 'timeout_ms' | 'enabled' | 'deleted'>,
): Rules {
  return {
    configVersion: row.config_version,
    regions: row.regions,
    quorum: row.quorum,
    intervalMs: row.interval_ms,
    timeoutMs: row.timeout_ms,
    enabled: row.enabled,
    deleted: row.deleted,
  };
}
