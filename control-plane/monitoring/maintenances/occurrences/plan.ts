import type { Sql } from '../../../platform/db/sql.ts';
import { type StoredMaintenance, writeExpansion } from '../store.ts';
import { plannedAheadMs, plannedMax, replanMs } from '../validate.ts';
import { occurrencesOf } from './schedule.ts';
import { planOccurrences, planOnce, settleDue } from './store.ts';

/** Plans the occurrences of a locked maintenance, as its settings say now, and when they are due. */
export async function plan(sql: Sql, maintenance: StoredMaintenance, nowMs: number): Promise<void> {
  const { id, starts_at: startsAt, ends_at: endsAt, schedule } = maintenance;
  if (schedule === null) {
    if (startsAt === null || endsAt === null) throw new Error(`${id} has no times`);
    await planOccurrences(sql, maintenance, [], nowMs);
    await planOnce(sql, maintenance, { startsAt, endsAt }, nowMs);
    await writeExpansion(sql, id, null);
  } else {
    const planned = occurrencesOf(schedule, nowMs, nowMs + plannedAheadMs, plannedMax);
    await planOccurrences(sql, maintenance, planned, nowMs);
    const [later] = occurrencesOf(schedule, nowMs + plannedAheadMs, Number.MAX_SAFE_INTEGER, 1);
    const isExhausted = later === undefined && planned.length < plannedMax;
    await writeExpansion(sql, id, isExhausted ? null : nowMs + replanMs);
  }
  await settleDue(sql, id, nowMs);
}
