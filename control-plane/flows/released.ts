import type { Sql } from '../db/sql.ts';
import { findProject } from '../projects/store.ts';
import { listRolledHours } from './cell-store.ts';
import { dayMs, floorHour, isWhollyKept } from './hours.ts';
import { listVersions } from './store.ts';
import { markHours } from './work-store.ts';

/**
 * After a release entries of [fromMs, toMs) belong to it: their hours are computed again, as far as raw events can tell
 * them apart. Hours that are not rolled up yet will find the marker.
 */
export async function attributeAgain(
  sql: Sql,
  projectId: string,
  fromMs: number,
  toMs: number,
  nowMs: number,
): Promise<void> {
  const project = await findProject(sql, projectId);
  const rawFromMs = nowMs - (project?.event_retention_days ?? 30) * dayMs;
  for (const version of await listVersions(sql, projectId)) {
    const hours = await listRolledHours(sql, version, floorHour(fromMs), toMs);
    await markHours(
      sql,
      version,
      hours.filter(hour => isWhollyKept(hour, rawFromMs)),
    );
  }
}
