import { toTimestamp } from '#shared/clock.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import type { Sql } from '../db/sql.ts';
import { candidatesMax, compareRelease } from './compare-release.ts';
import { cannotTell, estimateMissing, estimateUsers, missingUnknown, type Reason, type Users } from './estimate.ts';
import type { ImpactView } from './schema.ts';
import {
  type Candidate,
  countSides,
  countUsers,
  hasEventUntil,
  type IncidentTimes,
  listCandidates,
  listGrave,
  listNewErrors,
} from './store.ts';
import { baselinesOf, type Span, sidesOf, windowMinMs, windowOf } from './windows.ts';

/** Events read for one answer. */
const eventsMax = 5_000_000;
const newErrorsMax = 10;
const newErrorDays = 7;

export type ImpactRequest = {
  projectId: string;
  incident: IncidentTimes;
  errors: readonly string[] | null;
  environment: string;
  lookbackMinutes: number;
  /** Days that raw events are kept. */
  retentionDays: number;
};

/** How many events may still be read. */
type Budget = { left: number };

/** Whom an incident affected, who stayed away, and which releases preceded it. */
export async function readImpact(sql: Sql, request: ImpactRequest, nowMs: number): Promise<ImpactView> {
  const { projectId, incident, errors, retentionDays } = request;
  const window = windowOf({ startedAt: incident.started_at, resolvedAt: incident.resolved_at }, nowMs);
  const budget: Budget = { left: eventsMax };
  const keptFromMs = nowMs - retentionDays * dayMs;
  return {
    definition: 1,
    computed_at: toTimestamp(nowMs),
    window: { from: toTimestamp(window.fromMs), to: toTimestamp(window.toMs) },
    ...(await readUsers(sql, { projectId, window, errors, keptFromMs, nowMs }, budget)),
    releases: await readReleases(sql, request, { keptFromMs, nowMs }, budget),
    source: 'raw',
    estimated: false,
  };
}

type Scope = { projectId: string; window: Span; errors: readonly string[] | null; keptFromMs: number; nowMs: number };

async function readUsers(sql: Sql, scope: Scope, budget: Budget): Promise<Pick<ImpactView, 'users' | 'missing'>> {
  const { projectId, window, errors, keptFromMs, nowMs } = scope;
  const unknown = (reason: Reason) => ({ users: cannotTell(reason), missing: missingUnknown(reason) });
  if (window.fromMs < keptFromMs) return unknown('not_kept');
  const count = (span: Span) => spend(budget, limit => countUsers(sql, projectId, span, { errors, limit }));
  const users = await count(window);
  if (users === null) return unknown('too_many_events');
  const told = { with_errors: users.withErrors, active: users.active };
  const tell = (reason: Reason) => ({ users: { ...cannotTell(reason), ...told }, missing: missingUnknown(reason) });
  if (window.toMs - window.fromMs < windowMinMs) return tell('window_too_short');
  const month = { fromMs: window.fromMs - 28 * dayMs, toMs: window.fromMs };
  const incidents = await listGrave(sql, projectId, month, nowMs);
  const baselines: Users[] = [];
  for (const span of baselinesOf(window, { keptFromMs, incidents })) {
    if (!(await hasEventUntil(sql, projectId, span.fromMs))) continue;
    const baseline = await count(span);
    if (baseline === null) return tell('too_many_events');
    baselines.push(baseline);
  }
  return { users: estimateUsers(users, baselines), missing: estimateMissing(users.active, baselines) };
}

async function readReleases(
  sql: Sql,
  { projectId, incident, errors, environment, lookbackMinutes }: ImpactRequest,
  { keptFromMs, nowMs }: { keptFromMs: number; nowMs: number },
  budget: Budget,
): Promise<ImpactView['releases']> {
  const startedAt = incident.started_at;
  const span = { fromMs: startedAt - lookbackMinutes * minuteMs, toMs: startedAt };
  const found = await listCandidates(sql, projectId, environment, span, candidatesMax);
  const candidates: ImpactView['releases']['candidates'] = [];
  for (const release of found) {
    const compared = await compare(release, found.length);
    candidates.push({
      id: release.id,
      version: release.version,
      name: release.name,
      released_at: toTimestamp(release.released_at),
      ...compared,
    });
  }
  return { status: candidates.length === 0 ? 'none' : 'measured', candidates };

  async function compare(release: Candidate, number: number) {
    const { released_at: atMs } = release;
    const { before, after, late } = sidesOf(atMs, { ...release, nowMs });
    const nothing = { ratio: null, low: null, high: null, before: null, after: null, new_errors: [] };
    if (before.fromMs < keptFromMs) return { ...nothing, verdict: 'cannot_tell' as const, reason: 'not_kept' as const };
    const whole = { fromMs: before.fromMs, toMs: after.toMs };
    const places = { span: whole, atMs, lateFromMs: late.fromMs };
    const counted = await spend(budget, limit => countSides(sql, projectId, places, { errors, limit }));
    if (counted === null) return { ...nothing, verdict: 'cannot_tell' as const, reason: 'too_many_events' as const };
    const lengths = { beforeMs: before.toMs - before.fromMs, afterMs: after.toMs - after.fromMs };
    const { ratio, low, high, verdict, reason } = compareRelease({ ...counted, ...lengths }, number);
    const since = { sinceMs: atMs - newErrorDays * dayMs, limit: newErrorsMax };
    return {
      ratio: shorten(ratio),
      low: shorten(low),
      high: shorten(high),
      verdict,
      reason,
      before: view(counted.before),
      after: view(counted.after),
      new_errors: await listNewErrors(sql, projectId, after, since),
    };
  }
}

/** Reads within the budget; null if it does not suffice. */
async function spend<Read extends { events: number }>(
  budget: Budget,
  read: (limit: number) => Promise<Read>,
): Promise<Read | null> {
  const result = await read(budget.left + 1);
  budget.left -= result.events;
  return budget.left < 0 ? null : result;
}

function view({ active, withErrors }: Users) {
  return { active, with_errors: withErrors };
}

function shorten(value: number): number {
  return Number(value.toPrecision(4));
}
