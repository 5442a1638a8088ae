import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type Budget, spend } from './budget.ts';
import { compareRelease } from './compare-release.ts';
import type { Users } from './estimate.ts';
import type { ComparisonView } from './schema.ts';
import { type Candidate, countSides, listNewErrors } from './store.ts';
import { sidesOf } from './windows.ts';

const newErrorsMax = 10;
const newErrorDays = 7;
const nothing = { verdict: 'cannot_tell', ratio: null, low: null, high: null, before: null, after: null } as const;

type Scope = { projectId: string; errors: readonly string[] | null; keptFromMs: number; nowMs: number };

/** Compares the users with errors in the hours before and after a release, one of `candidates`. */
export async function compareSides(
  sql: Sql,
  { projectId, errors, keptFromMs, nowMs }: Scope,
  release: Candidate,
  candidates: number,
  budget: Budget,
): Promise<Omit<ComparisonView, 'new_errors'>> {
  const { released_at: atMs } = release;
  const { before, after, late } = sidesOf(atMs, { ...release, nowMs });
  if (before.fromMs < keptFromMs) return { ...nothing, reason: 'not_kept' };
  const whole = { fromMs: before.fromMs, toMs: after.toMs };
  const places = { span: whole, atMs, lateFromMs: late.fromMs };
  const counted = await spend(budget, limit => countSides(sql, projectId, places, { errors, limit }));
  if (counted === null) return { ...nothing, reason: 'too_many_events' };
  const lengths = { beforeMs: before.toMs - before.fromMs, afterMs: after.toMs - after.fromMs };
  const { ratio, low, high, verdict, reason } = compareRelease({ ...counted, ...lengths }, candidates);
  return {
    ratio: shorten(ratio),
    low: shorten(low),
    high: shorten(high),
    verdict,
    reason,
    before: view(counted.before),
    after: view(counted.after),
  };
}

/** Errors after a release that were not seen in the days before it; none if the budget does not suffice. */
export async function findNewErrors(
  sql: Sql,
  { projectId, nowMs }: Pick<Scope, 'projectId' | 'nowMs'>,
  release: Candidate,
  budget: Budget,
): Promise<ComparisonView['new_errors']> {
  const { after } = sidesOf(release.released_at, { ...release, nowMs });
  const since = { sinceMs: release.released_at - newErrorDays * dayMs, limit: newErrorsMax };
  const read = await spend(budget, eventsMax => listNewErrors(sql, projectId, after, { ...since, eventsMax }));
  return read?.errors ?? [];
}

function view({ active, withErrors }: Users) {
  return { active, with_errors: withErrors };
}

function shorten(value: number): number {
  return Number(value.toPrecision(4));
}
