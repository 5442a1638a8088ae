import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { findRulesTime, findVersionTime } from './store.ts';

/** All versions of a monitor are read whenever a part of its history is computed again. */
const versionsMax = 5000;
/** For as long versions are stored. */
const withinMs = 31 * dayMs;

/** Throws `limit_reached` if the configuration of a monitor has changed too often for one more version. */
export async function requireFewVersions(sql: Sql, monitorId: string, version: number, nowMs: number): Promise<void> {
  const first = version - versionsMax;
  if (first > 0) requireOld(await findVersionTime(sql, monitorId, first), nowMs);
}

/** The same for its rules for alerts. */
export async function requireFewRules(sql: Sql, monitorId: string, version: number, nowMs: number): Promise<void> {
  const first = version - versionsMax;
  if (first > 0) requireOld(await findRulesTime(sql, monitorId, first), nowMs);
}

/** Versions are numbered without gaps, so the time of one says how many came after it. */
function requireOld(atMs: number | null, nowMs: number): void {
  if (atMs === null || atMs <= nowMs - withinMs) return;
  const nextAt = toTimestamp(atMs + withinMs);
  const detail = `the monitor was changed ${versionsMax} times in 31 days; the next change is possible at ${nextAt}`;
  throw new Problem('limit_reached', { detail });
}
