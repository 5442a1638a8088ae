import type pg from 'pg';
import { sqlOf } from '../../../platform/db/sql.ts';
import type { VersionRules } from './accept.ts';
import type { Reported } from './prepare.ts';
import type { VersionBook } from './version-book.ts';
import { findVersions } from './version-store.ts';

/** The rules of the version of each result, undefined if there is none. */
export async function rulesOf(
  { pool, versions }: { pool: pg.Pool; versions: VersionBook },
  reported: readonly Reported[],
): Promise<(VersionRules | undefined)[]> {
  const find = ({ result }: Reported) => versions.get(result.monitor_id, result.config_version);
  const found = reported.map(find);
  if (!found.includes(undefined)) return found;
  const unknown = new Map<string, readonly [string, number]>();
  for (const [index, { result }] of reported.entries()) {
    const { monitor_id: id, config_version: version } = result;
    if (found[index] === undefined) unknown.set(`${id} ${version}`, [id, version]);
  }
  versions.makeRoom();
  for (const { monitorId, version, rules } of await findVersions(sqlOf(pool), [...unknown.values()]))
    versions.set(monitorId, version, rules);
  return reported.map((report, index) => found[index] ?? find(report));
}
