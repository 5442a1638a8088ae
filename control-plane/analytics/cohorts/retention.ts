import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { findOldestDelta } from '../cells/queue-store.ts';
import { limits } from '../events/event.ts';
import { ceilHour } from '../flows/roll-up/dirty-hours.ts';
import type { Bucket } from '../trends/buckets.ts';
import { findCountedFrom } from '../trends/counted-from.ts';
import { Cohorts, type Known } from './cohorts.ts';
import { periodsOf } from './periods.ts';
import { isKept, readUsers, type Stored } from './read-users.ts';
import type { RetentionQuery, RetentionView, UnknownReason } from './schema.ts';

/** Users of all cohorts that are followed at once: 8 bytes each. */
const membersMax = 4_000_000;

export type RetentionRequest = { projectId: string; query: RetentionQuery; retentionDays: number; nowMs: number };

/**
 * Of the users of each period, how many come back in the ones after it: exact or not at all, and the same before and
 * after the events are gone. Throws `invalid_parameter`.
 */
export async function readRetention(
  sql: Sql,
  { projectId, query, retentionDays, nowMs }: RetentionRequest,
): Promise<RetentionView> {
  const { cohorts, later } = periodsOf(query, nowMs);
  const stored: Stored = {
    rawStartMs: ceilHour(nowMs - retentionDays * dayMs + limits.aheadMs),
    countedFromMs: await findCountedFrom(sql, projectId, nowMs),
  };
  const oldestDelta = (await findOldestDelta(sql, projectId)) ?? nowMs;
  const begun = [...cohorts, ...later].filter(period => period.fromMs <= nowMs);
  const users = (name: string, period: Bucket) => readUsers(sql, { projectId, name }, period, stored);
  const followed = await follow(query, { cohorts: cohorts.length, periods: begun }, users);
  const kept = begun.filter(period => isKept(period, stored)).length;
  return {
    range: { from: toTimestamp(cohorts[0]?.fromMs ?? nowMs), to: toTimestamp(cohorts.at(-1)?.toMs ?? nowMs) },
    granularity: query.granularity,
    timezone: query.timezone,
    cohorts: cohorts.map(({ label, toMs }, index) => ({
      period: label,
      ...(followed[index] ?? { users: null, returned: nulls(query.periods + 1), reason: null }),
      complete: toMs <= nowMs,
    })),
    complete_through: toTimestamp(kept === begun.length ? nowMs : Math.min(oldestDelta, nowMs)),
    source: kept === begun.length ? 'raw' : kept === 0 ? 'hourly' : 'mixed',
    exact: true,
  };
}

async function follow(
  { start, return: back = start, cohort, periods }: RetentionQuery,
  range: { cohorts: number; periods: readonly Bucket[] },
  usersOf: (name: string, period: Bucket) => Promise<Known<UnknownReason>>,
): Promise<Cohorts<UnknownReason>['cohorts']> {
  const cohorts = new Cohorts<UnknownReason>({ isFirst: cohort === 'first', periods });
  for (const [index, period] of range.periods.entries()) {
    const started = index < range.cohorts ? await usersOf(start, period) : null;
    if (started !== null) cohorts.start(cohorts.size > membersMax ? { unknown: 'too_many_users' } : started);
    cohorts.return(index, started !== null && back === start ? started : await usersOf(back, period));
  }
  return cohorts.cohorts;
}

function nulls(length: number): null[] {
  return Array.from({ length }, () => null);
}
