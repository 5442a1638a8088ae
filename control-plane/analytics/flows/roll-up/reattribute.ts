import type { Sql } from '../../../platform/db/sql.ts';
import type { FlowVersionKey } from '../flow.ts';
import { floorHour, isFullyRetained } from './dirty-hours.ts';
import { listRolledUpHours } from './hourly-step-store.ts';
import { markHours, type Reattribution } from './queue-store.ts';

/**
 * Marks the hours of a version as dirty whose entries belong to another release now. Hours whose raw events are partly
 * deleted stay as they are; hours that are not rolled up yet will see the marker anyway.
 */
export async function reattribute(
  sql: Sql,
  version: FlowVersionKey,
  ranges: readonly Reattribution[],
  rawFromMs: number,
): Promise<void> {
  for (const { fromMs, toMs } of ranges) {
    const hours = await listRolledUpHours(sql, version, floorHour(fromMs), toMs);
    const recomputable = hours.filter(hour => isFullyRetained(hour, rawFromMs));
    await markHours(sql, version, recomputable);
  }
}
