import { type Assertion, onlyWarns } from '#shared/assertions/assertion.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { CertificateWarning } from '../alert-rules.ts';
import type { StoredMonitor } from '../row.ts';
import type { ConfigurationChange } from '../settings.ts';
import type { Rules } from '../state/state.ts';
import type { UnchangedRecords } from './unchanged.ts';

/** Records what one version required. Written once, never changed. */
export async function insertVersion(
  sql: Sql,
  version: {
    monitorId: string;
    projectId: string;
    rules: Rules;
    change: ConfigurationChange;
    assertions: readonly Assertion[];
    warning: CertificateWarning;
    unchanged: UnchangedRecords | null;
    atMs: number;
  },
): Promise<void> {
  const { rules, change } = version;
  const p95 = version.assertions.flatMap((assertion, index) =>
    assertion.type === 'latency_p95' ? [{ index, assertion }] : [],
  );
  await sql.run`
    insert into monitor_versions (
      monitor_id, config_version, project_id, at, regions, quorum, interval_ms, timeout_ms, p95_assertions, enabled,
      deleted, drops_votes, moves_floor, certificate_warning, warn_assertions, unchanged
    )
    values (
      ${version.monitorId},
      ${rules.configVersion},
      ${version.projectId},
      ${instant(version.atMs)},
      ${rules.regions},
      ${rules.quorum},
      ${rules.intervalMs},
      ${rules.timeoutMs},
      ${JSON.stringify(p95)},
      ${rules.enabled},
      ${rules.deleted},
      ${change.dropsVotes},
      ${change.resetsStart},
      ${version.warning === null ? null : JSON.stringify(version.warning)},
      ${warnsOf(version.assertions)},
      ${version.unchanged === null ? null : JSON.stringify(version.unchanged)}
    )`;
}

/** Records a version after the last of each monitor that requires the same, and drops no vote. */
export async function repeatVersions(sql: Sql, monitorIds: readonly string[], atMs: number): Promise<void> {
  await sql.run`
    insert into monitor_versions (
      monitor_id, config_version, project_id, at, regions, quorum, interval_ms, timeout_ms, p95_assertions, enabled,
      deleted, drops_votes, moves_floor, certificate_warning, warn_assertions, unchanged
    )
    select
      v.monitor_id, v.config_version + 1, v.project_id, ${instant(atMs)}, v.regions, v.quorum, v.interval_ms,
      v.timeout_ms, v.p95_assertions, v.enabled, v.deleted, false, false, v.certificate_warning, v.warn_assertions,
      v.unchanged
    from monitors m
    join monitor_versions v on v.monitor_id = m.id and v.config_version = m.config_version
    where m.id = any(${monitorIds}::text[])`;
}

/** Indexes of the assertions whose failure only warns. */
export function warnsOf(assertions: readonly Assertion[]): number[] {
  return assertions.flatMap((assertion, index) => (onlyWarns(assertion) ? [index] : []));
}

/** Records the rules for alerts that are in force from an instant on; nothing if that version is known. */
export async function insertRules(
  sql: Sql,
  { id, projectId, rulesVersion, settings }: Pick<StoredMonitor, 'id' | 'projectId' | 'rulesVersion' | 'settings'>,
  atMs: number,
): Promise<void> {
  await sql.run`
    insert into alert_rule_versions (monitor_id, rules_version, project_id, at, rules)
    values (${id}, ${rulesVersion}, ${projectId}, ${instant(atMs)}, ${JSON.stringify(settings.alert_rules)})
    on conflict do nothing`;
}

/** When a version was made; null if it is not stored any more. */
export async function findVersionTime(sql: Sql, monitorId: string, version: number): Promise<number | null> {
  const row = await sql.row<{ at: number }>`
    select at
    from monitor_versions
    where monitor_id = ${monitorId} and config_version = ${version}`;
  return row?.at ?? null;
}

/** The same of rules for alerts. */
export async function findRulesTime(sql: Sql, monitorId: string, version: number): Promise<number | null> {
  const row = await sql.row<{ at: number }>`
    select at
    from alert_rule_versions
    where monitor_id = ${monitorId} and rules_version = ${version}`;
  return row?.at ?? null;
}

/** As `deleteVersionsBefore`, of rules for alerts. */
export async function deleteRulesBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`
    delete from alert_rule_versions v
    where v.at < ${instant(beforeMs)}
      and exists (
        select 1
        from alert_rule_versions later
        where later.monitor_id = v.monitor_id
          and later.rules_version > v.rules_version
          and later.at < ${instant(beforeMs)}
      )`;
}

/** Deletes versions that a newer one of the same monitor replaced before the instant. Returns how many. */
export async function deleteVersionsBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`
    delete from monitor_versions v
    where v.at < ${instant(beforeMs)}
      and exists (
        select 1
        from monitor_versions later
        where later.monitor_id = v.monitor_id and later.at > v.at and later.at < ${instant(beforeMs)}
      )`;
}

/** The versions that were made at these instants. */
export async function listVersionsAt(
  sql: Sql,
  { projectId, monitorId }: { projectId: string; monitorId: string },
  instants: readonly number[],
): Promise<{ at: number; config_version: number; drops_votes: boolean }[]> {
  return sql.rows`
    select at, config_version, drops_votes
    from monitor_versions
    where project_id = ${projectId}
      and monitor_id = ${monitorId}
      and at = any(${instants.map(at => instant(at))}::timestamptz[])`;
}
