import { instants, jsons, texts } from '../db/binary-array.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { MonitorState, Rules, Verdict, Votes } from './state.ts';

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
};

/** The row without its lock: what one may look at, but not decide by. */
export async function findState(sql: Sql, monitorId: string): Promise<MonitorState | null> {
  const row = await sql.row<StateRow>('select * from monitor_states where monitor_id = $1', [monitorId]);
  return row === null ? null : toState(row);
}

/** Locks the rows in id order, which is what keeps judging serial and free of deadlocks, and reads them. */
export async function lockStates(sql: Sql, monitorIds: readonly string[]): Promise<MonitorState[]> {
  const rows = await sql.rows<StateRow>(
    'select * from monitor_states where monitor_id = any($1::text[]) order by monitor_id for update',
    [monitorIds],
  );
  return rows.map(toState);
}

export async function insertState(sql: Sql, state: MonitorState): Promise<void> {
  await sql.run(
    `insert into monitor_states (monitor_id, project_id, config_version, regions, quorum, interval_ms, timeout_ms, enabled, deleted,
       verdict, since, floor, votes, sweep_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      state.monitorId,
      state.projectId,
      state.rules.configVersion,
      state.rules.regions,
      state.rules.quorum,
      state.rules.intervalMs,
      state.rules.timeoutMs,
      state.rules.enabled,
      state.rules.deleted,
      state.verdict,
      instant(state.since),
      instant(state.floor),
      JSON.stringify(state.votes),
      instant(state.sweepAt),
    ],
  );
}

/** Writes the rules of one state, with what they made of verdict and votes. */
export async function writeRules(sql: Sql, state: MonitorState): Promise<void> {
  await sql.run(
    `update monitor_states set config_version = $2, regions = $3, quorum = $4, interval_ms = $5, timeout_ms = $6, enabled = $7, deleted = $8
     where monitor_id = $1`,
    [
      state.monitorId,
      state.rules.configVersion,
      state.rules.regions,
      state.rules.quorum,
      state.rules.intervalMs,
      state.rules.timeoutMs,
      state.rules.enabled,
      state.rules.deleted,
    ],
  );
  await writeStates(sql, [state]);
}

/** Writes what judging changed. One statement for a batch; columns with an index change seldom, so updates stay in their page. */
export async function writeStates(sql: Sql, states: readonly MonitorState[]): Promise<void> {
  if (states.length === 0) return;
  await sql.run(
    `update monitor_states as s set verdict = n.verdict, since = n.since, floor = n.floor, votes = n.votes,
       confirmed_at = n.confirmed_at, sweep_at = n.sweep_at, replay_from = n.replay_from
     from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::json[], $6::timestamptz[], $7::timestamptz[], $8::timestamptz[])
       as n (monitor_id, verdict, since, floor, votes, confirmed_at, sweep_at, replay_from)
     where s.monitor_id = n.monitor_id`,
    [
      texts(states.map(state => state.monitorId)),
      texts(states.map(state => state.verdict)),
      instants(states.map(state => state.since)),
      instants(states.map(state => state.floor)),
      jsons(states.map(state => JSON.stringify(state.votes))),
      instants(states.map(state => state.confirmedAt)),
      instants(states.map(state => state.sweepAt)),
      instants(states.map(state => state.replayFrom)),
    ],
  );
}

export function toState(row: StateRow): MonitorState {
  return {
    monitorId: row.monitor_id,
    projectId: row.project_id,
    rules: toRules(row),
    verdict: row.verdict,
    since: row.since,
    floor: row.floor,
    votes: row.votes,
    confirmedAt: row.confirmed_at,
    sweepAt: row.sweep_at,
    replayFrom: row.replay_from,
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
