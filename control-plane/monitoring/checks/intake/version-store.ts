import type { Sql } from '../../../platform/db/sql.ts';
import type { VersionRules } from './accept.ts';

type VersionRow = {
  monitor_id: string;
  config_version: number;
  project_id: string;
  at: number;
  regions: string[];
  interval_ms: number;
  timeout_ms: number;
  p95_assertions: VersionRules['p95'];
  certificate_warning: VersionRules['warning'];
  warn_assertions: number[];
  unchanged: VersionRules['unchanged'];
};

/** The rules of versions that results name. Unknown pairs and deletions are missing. */
export async function findVersions(
  sql: Sql,
  pairs: readonly (readonly [monitorId: string, configVersion: number])[],
): Promise<{ monitorId: string; version: number; rules: VersionRules }[]> {
  const rows = await sql.rows<VersionRow>`
    select
      v.monitor_id, v.config_version, v.project_id, v.at, v.regions, v.interval_ms, v.timeout_ms, v.p95_assertions,
      v.certificate_warning, v.warn_assertions, v.unchanged
    from unnest(${pairs.map(pair => pair[0])}::text[], ${pairs.map(pair => pair[1])}::integer[])
      as wanted (monitor_id, config_version)
    join monitor_versions v
      on v.monitor_id = wanted.monitor_id and v.config_version = wanted.config_version
    where not v.deleted`;
  return rows.map(row => ({
    monitorId: row.monitor_id,
    version: row.config_version,
    rules: {
      projectId: row.project_id,
      atMs: row.at,
      regions: row.regions,
      intervalMs: row.interval_ms,
      timeoutMs: row.timeout_ms,
      p95: row.p95_assertions,
      warning: row.certificate_warning,
      warnOn: row.warn_assertions,
      unchanged: row.unchanged,
    },
  }));
}
