import type { Assertion } from '#shared/assertions/assertion.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { AlertPolicy, MonitorSettings } from './monitor.ts';
import type { Verdict, Votes } from './state.ts';

/** Monitor with all it was set to, headers in clear. */
export type StoredMonitor = {
  id: string;
  projectId: string;
  settings: MonitorSettings;
  configVersion: number;
  createdAt: number;
  updatedAt: number;
};

export type MonitorRow = {
  id: string;
  project_id: string;
  name: string;
  url: string;
  method: MonitorSettings['method'];
  interval_seconds: number;
  timeout_ms: number | null;
  regions: string[];
  quorum: number | null;
  assertions: Assertion[];
  sealed_headers: Buffer;
  sealed_body: Buffer | null;
  follow_redirects: boolean;
  alert_policy: AlertPolicy;
  enabled: boolean;
  component_ids: string[];
  config_version: number;
  configured_at: number;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
};

/** A monitor and its standing, as lists show it. */
export type MonitorWithState = { monitor: StoredMonitor; verdict: Verdict; since: number; votes: Votes };

type ListedRow = MonitorRow & { verdict: Verdict; since: number; votes: Votes };

const columns =
  'm.*, array(select b.component_id from component_monitors b where b.monitor_id = m.id order by b.component_id) as component_ids';
const listed = `select ${columns}, s.verdict, s.since, s.votes from monitors m join monitor_states s on s.monitor_id = m.id`;

/** Codes among these that do not exist for the project. */
export async function unknownRegions(sql: Sql, projectId: string, codes: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ code: string }>(
    'select code from regions where code = any($1::text[]) and (project_id is null or project_id = $2)',
    [codes, projectId],
  );
  const known = new Set(rows.map(row => row.code));
  return codes.filter(code => !known.has(code));
}

/** The most recently deleted monitor of that name, locked: of several at once exactly one gets it. */
export async function lockDeletedByName(
  sql: Sql,
  projectId: string,
  name: string,
  afterMs: number,
): Promise<MonitorRow | null> {
  return sql.row<MonitorRow>(
    `select ${columns} from monitors m where project_id = $1 and name = $2 and deleted_at > $3 order by deleted_at desc limit 1 for update skip locked`,
    [projectId, name, instant(afterMs)],
  );
}

/** Writes a new monitor, or the whole new configuration of one there is. */
export async function writeMonitor(sql: Sql, keyring: Keyring, monitor: StoredMonitor): Promise<void> {
  const { settings } = monitor;
  await sql.run(
    `insert into monitors as held (id, project_id, name, url, method, interval_seconds, timeout_ms, regions, quorum, assertions, sealed_headers,
       sealed_body, follow_redirects, alert_policy, enabled, config_version, configured_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $17)
     on conflict (id) do update set name = excluded.name, url = excluded.url, method = excluded.method, interval_seconds = excluded.interval_seconds,
       timeout_ms = excluded.timeout_ms, regions = excluded.regions, quorum = excluded.quorum, assertions = excluded.assertions,
       sealed_headers = excluded.sealed_headers, sealed_body = excluded.sealed_body, follow_redirects = excluded.follow_redirects,
       alert_policy = excluded.alert_policy, enabled = excluded.enabled, updated_at = excluded.updated_at, deleted_at = null,
       configured_at = case when held.config_version = excluded.config_version then held.configured_at else excluded.configured_at end,
       config_version = excluded.config_version, changed_xid = pg_current_xact_id()`,
    [
      monitor.id,
      monitor.projectId,
      settings.name,
      settings.url,
      settings.method,
      settings.interval_seconds,
      settings.timeout_ms,
      settings.regions,
      settings.quorum,
      JSON.stringify(settings.assertions),
      keyring.seal(JSON.stringify(settings.headers), headersContext(monitor.id)),
      settings.body === null ? null : keyring.seal(settings.body, bodyContext(monitor.id)),
      settings.follow_redirects,
      JSON.stringify(settings.alert_policy),
      settings.enabled,
      monitor.configVersion,
      instant(monitor.updatedAt),
      instant(monitor.createdAt),
    ],
  );
}

export async function markDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run(
    'update monitors set deleted_at = $2, configured_at = $2, updated_at = $2, changed_xid = pg_current_xact_id() where id = $1',
    [id, instant(nowMs)],
  );
}

export async function lockMonitor(sql: Sql, projectId: string, id: string): Promise<MonitorRow | null> {
  return sql.row<MonitorRow>(
    `select ${columns} from monitors m where project_id = $1 and id = $2 and deleted_at is null for update`,
    [projectId, id],
  );
}

export async function findMonitor(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  id: string,
): Promise<MonitorWithState | null> {
  const row = await sql.row<ListedRow>(`${listed} where m.project_id = $1 and m.id = $2 and m.deleted_at is null`, [
    projectId,
    id,
  ]);
  return row === null ? null : withState(row, keyring);
}

/** A page of all monitors in id order, locked, deleted ones too. */
export async function lockPage(sql: Sql, afterId: string, limit: number): Promise<MonitorRow[]> {
  return sql.rows<MonitorRow>(`select ${columns} from monitors m where id > $1 order by id limit $2 for update`, [
    afterId,
    limit,
  ]);
}

/** Seals the secrets of a row again. Agents need not know: what they say is the same. */
export async function writeSecrets(sql: Sql, keyring: Keyring, row: MonitorRow): Promise<void> {
  const { headers, body } = openSecrets(row, keyring);
  await sql.run('update monitors set sealed_headers = $2, sealed_body = $3 where id = $1', [
    row.id,
    keyring.seal(JSON.stringify(headers), headersContext(row.id)),
    body === null ? null : keyring.seal(body, bodyContext(row.id)),
  ]);
}

/** Newest first. */
export async function listMonitors(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  enabled: boolean | null,
  page: Page,
): Promise<MonitorWithState[]> {
  const rows = await sql.rows<ListedRow>(
    `${listed} where m.project_id = $1 and m.deleted_at is null and ($2::boolean is null or m.enabled = $2)
       and ($3::timestamptz is null or (m.created_at, m.id) < ($3, $4)) order by m.created_at desc, m.id desc limit $5`,
    [projectId, enabled, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
  return rows.map(row => withState(row, keyring));
}

/** True while the monitor or its kept history belongs to the project. */
export async function hasHistory(sql: Sql, projectId: string, id: string, deletedAfterMs: number): Promise<boolean> {
  return (
    (await sql.row(
      'select 1 from monitors where project_id = $1 and id = $2 and (deleted_at is null or deleted_at > $3)',
      [projectId, id, instant(deletedAfterMs)],
    )) !== null
  );
}

/** Monitors deleted before the instant, whose history is to go. */
export async function listExpired(sql: Sql, deletedBeforeMs: number, limit: number): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    'select id from monitors where deleted_at <= $1 order by deleted_at limit $2 for update skip locked',
    [instant(deletedBeforeMs), limit],
  );
  return rows.map(row => row.id);
}

export async function deleteMonitors(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.run('delete from monitors where id = any($1::text[]) and deleted_at is not null', [ids]);
}

export function toMonitor(row: MonitorRow, keyring: Keyring): StoredMonitor {
  return {
    id: row.id,
    projectId: row.project_id,
    settings: {
      name: row.name,
      url: row.url,
      method: row.method,
      interval_seconds: row.interval_seconds,
      timeout_ms: row.timeout_ms,
      regions: row.regions,
      quorum: row.quorum,
      assertions: row.assertions,
      ...openSecrets(row, keyring),
      follow_redirects: row.follow_redirects,
      alert_policy: row.alert_policy,
      component_ids: row.component_ids,
      enabled: row.enabled,
    },
    configVersion: row.config_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Header values and body in clear. */
export function openSecrets(
  row: { id: string; sealed_headers: Uint8Array; sealed_body: Uint8Array | null },
  keyring: Keyring,
): { headers: Record<string, string>; body: string | null } {
  return {
    headers: JSON.parse(keyring.open(row.sealed_headers, headersContext(row.id))) as Record<string, string>,
    body: row.sealed_body === null ? null : keyring.open(row.sealed_body, bodyContext(row.id)),
  };
}

function withState(row: ListedRow, keyring: Keyring): MonitorWithState {
  return { monitor: toMonitor(row, keyring), verdict: row.verdict, since: row.since, votes: row.votes };
}

function headersContext(id: string): string {
  return `monitor ${id} headers`;
}

function bodyContext(id: string): string {
  return `monitor ${id} body`;
}
