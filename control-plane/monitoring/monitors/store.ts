import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { authSecretOf, withAuthSecret } from './auth/auth.ts';
import { oauth2Of } from './auth/oauth2.ts';
import { egressSecretsOf, withoutEgressSecrets } from './egress/stored.ts';
import { otherHttpVersion } from './kinds/http-version.ts';
import { storedNeeds } from './kinds/rules.ts';
import { type BoundMonitorRow, type ListedRow, type MonitorWithState, type StoredMonitor, withState } from './row.ts';
import { carriedSecrets, withoutSecrets } from './secrets/own-rules.ts';
import { sealSecrets } from './secrets/secrets.ts';

/** The regions of `monitors m`, in one column or the other. */
export const checkedRegions = fragment`coalesce(m.able_regions, m.regions)`;
/** Columns of `monitors m`. */
export const monitorColumns = fragment`
  m.id, m.project_id, m.name, m.url, m.kind, m.own, m.needs, m.secret_fields, m.method, m.interval_seconds,
  m.timeout_ms,
  ${checkedRegions} as regions, m.quorum, m.assertions,
  m.sealed_headers, m.sealed_body, m.egress, m.sealed_egress, m.sealed_proxy, m.auth, m.sealed_auth,
  m.sealed_oauth2, m.sealed_step_auth,
  m.http_version, m.follow_redirects, m.alert_policy, m.alert_rules, m.rules_version, m.labels,
  m.enabled, m.config_version, m.configured_at, m.created_at, m.updated_at, m.deleted_at`;
/** Columns of `BoundMonitorRow`, from `monitors m`. */
export const boundColumns = fragment`
  ${monitorColumns},
  array(
    select b.component_id
    from component_monitors b
    where b.monitor_id = m.id
      and b.by_id
    order by b.component_id
  ) as component_ids`;
/** The start of a statement that reads monitors `m` with their states `s`. */
export const listedMonitors = fragment`
  select ${boundColumns}, s.verdict, s.since, s.votes
  from monitors m
  join monitor_states s on s.monitor_id = m.id`;

/** The codes that are no region of the project, in their order. */
export async function unknownRegions(sql: Sql, projectId: string, codes: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ code: string }>`
    select code
    from regions
    where code = any(${codes}::text[]) and (project_id is null or project_id = ${projectId})`;
  const found = new Set(rows.map(row => row.code));
  return codes.filter(code => !found.has(code));
}

/** The first codes of regions that a project may use: its own, then the shared ones. */
export async function listRegionCodes(sql: Sql, projectId: string, limit: number): Promise<string[]> {
  const rows = await sql.rows<{ code: string }>`
    select code
    from regions
    where project_id is null or project_id = ${projectId}
    order by project_id is null, code
    limit ${limit}`;
  return rows.map(row => row.code);
}

/** Whether one of the codes is a region of the project's own. */
export async function hasPrivateRegion(sql: Sql, projectId: string, codes: readonly string[]): Promise<boolean> {
  const row = await sql.row`
    select 1
    from regions
    where code = any(${codes}::text[]) and project_id = ${projectId}
    limit 1`;
  return row !== null;
}

/** Inserts a monitor, or replaces the whole configuration of an existing one and undeletes it. */
export async function writeMonitor(sql: Sql, keyring: Keyring, monitor: StoredMonitor): Promise<void> {
  const { settings } = monitor;
  const { kind = 'http' } = settings;
  const sealed = sealSecrets(
    monitor.id,
    {
      ...carriedSecrets(settings),
      ...egressSecretsOf(settings.egress),
      authSecret: authSecretOf(settings.auth),
      oauth2: oauth2Of(settings.auth),
    },
    keyring,
  );
  const egress = withoutEgressSecrets(settings.egress);
  const auth = withAuthSecret(settings.auth, '');
  const needs = storedNeeds(monitor).join(' ');
  await sql.run`
    insert into monitors as stored (
      id, project_id, name, url, kind, own, needs, secret_fields, able_regions, method, interval_seconds, timeout_ms,
      regions, quorum, assertions, sealed_headers, sealed_body, egress, sealed_egress, sealed_proxy, auth,
      sealed_auth, sealed_oauth2, sealed_step_auth,
      http_version, follow_redirects, alert_policy, alert_rules, rules_version, labels,
      enabled, config_version, configured_at, created_at, updated_at, each_address
    )
    values (
      ${monitor.id},
      ${monitor.projectId},
      ${settings.name},
      ${settings.url},
      ${kind},
      ${kind === 'http' ? null : JSON.stringify(withoutSecrets(settings[kind]))},
      ${needs},
      ${monitor.secretFields},
      ${needs === '' ? null : settings.regions},
      ${settings.method},
      ${settings.interval_seconds},
      ${settings.timeout_ms},
      ${needs === '' ? settings.regions : []},
      ${settings.quorum},
      ${JSON.stringify(settings.assertions)},
      ${sealed.headers},
      ${sealed.body},
      ${egress === null ? null : JSON.stringify(egress)},
      ${sealed.egress},
      ${sealed.proxy},
      ${auth === null ? null : JSON.stringify(auth)},
      ${sealed.auth},
      ${sealed.oauth2},
      ${sealed.stepAuth},
      ${otherHttpVersion(settings)},
      ${settings.follow_redirects},
      ${JSON.stringify(settings.alert_policy)},
      ${JSON.stringify(settings.alert_rules)},
      ${monitor.rulesVersion},
      ${JSON.stringify(settings.labels)},
      ${settings.enabled},
      ${monitor.configVersion},
      ${instant(monitor.updatedAt)},
      ${instant(monitor.createdAt)},
      ${instant(monitor.updatedAt)},
      ${egress?.addresses === 'each'}
    )
    on conflict (id) do update
    set name = excluded.name,
      url = excluded.url,
      kind = excluded.kind,
      own = excluded.own,
      needs = excluded.needs,
      secret_fields = excluded.secret_fields,
      able_regions = excluded.able_regions,
      method = excluded.method,
      interval_seconds = excluded.interval_seconds,
      timeout_ms = excluded.timeout_ms,
      regions = excluded.regions,
      quorum = excluded.quorum,
      assertions = excluded.assertions,
      sealed_headers = excluded.sealed_headers,
      sealed_body = excluded.sealed_body,
      egress = excluded.egress,
      each_address = excluded.each_address,
      sealed_egress = excluded.sealed_egress,
      sealed_proxy = excluded.sealed_proxy,
      auth = excluded.auth,
      sealed_auth = excluded.sealed_auth,
      sealed_oauth2 = excluded.sealed_oauth2,
      sealed_step_auth = excluded.sealed_step_auth,
      http_version = excluded.http_version,
      follow_redirects = excluded.follow_redirects,
      alert_policy = excluded.alert_policy,
      alert_rules = excluded.alert_rules,
      rules_version = excluded.rules_version,
      labels = excluded.labels,
      enabled = excluded.enabled,
      updated_at = excluded.updated_at,
      deleted_at = null,
      configured_at = case
        when stored.config_version = excluded.config_version then stored.configured_at
        else excluded.configured_at
      end,
      config_version = excluded.config_version,
      changed_xid = pg_current_xact_id()`;
}

/** The next version of each, whose settings stay. */
export async function raiseVersions(sql: Sql, monitorIds: readonly string[], atMs: number): Promise<void> {
  await sql.run`
    update monitors
    set config_version = config_version + 1,
      configured_at = ${instant(atMs)},
      updated_at = ${instant(atMs)},
      changed_xid = pg_current_xact_id()
    where id = any(${monitorIds}::text[])`;
}

/** Those of the project that are not deleted, locked in id order. */
export async function lockMonitors(sql: Sql, projectId: string, ids: readonly string[]): Promise<BoundMonitorRow[]> {
  return sql.rows<BoundMonitorRow>`
    select ${boundColumns}
    from monitors m
    where m.project_id = ${projectId}
      and m.id = any(${ids}::text[])
      and m.deleted_at is null
    order by m.id
    for update`;
}

/** Null if the project has no such monitor, or it is deleted. */
export async function lockMonitor(sql: Sql, projectId: string, id: string): Promise<BoundMonitorRow | null> {
  return sql.row<BoundMonitorRow>`
    select ${boundColumns}
    from monitors m
    where m.project_id = ${projectId}
      and m.id = ${id}
      and m.deleted_at is null
    for update`;
}

/** Null if the project has no such monitor, or it is deleted. */
export async function findMonitor(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  id: string,
): Promise<MonitorWithState | null> {
  const row = await sql.row<ListedRow>`
    ${listedMonitors}
    where m.project_id = ${projectId}
      and m.id = ${id}
      and m.deleted_at is null`;
  return row === null ? null : withState(row, keyring);
}

/** True if the project has the monitor, or deleted it after the instant: then its history can be read. */
export async function hasHistory(sql: Sql, projectId: string, id: string, deletedAfterMs: number): Promise<boolean> {
  const row = await sql.row`
    select 1
    from monitors
    where project_id = ${projectId}
      and id = ${id}
      and (deleted_at is null or deleted_at > ${instant(deletedAfterMs)})`;
  return row !== null;
}

/** The URL of a monitor whose history can be read; null if there is none. */
export async function findUrl(sql: Sql, projectId: string, id: string, deletedAfterMs: number): Promise<string | null> {
  const row = await sql.row<{ url: string }>`
    select url
    from monitors
    where project_id = ${projectId}
      and id = ${id}
      and (deleted_at is null or deleted_at > ${instant(deletedAfterMs)})`;
  return row?.url ?? null;
}

/** The words of a list that is stored as text. */
export function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
