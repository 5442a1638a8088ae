import { toTimestamp } from '#shared/clock.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type Budget, spend } from './budget.ts';
import { candidatesMax } from './compare-release.ts';
import { compareSides, findNewErrors } from './compare-sides.ts';
import { cannotTell, estimateMissing, estimateUsers, missingUnknown, type Reason, type Users } from './estimate.ts';
import type { Incidents, IncidentTimes } from './incidents.ts';
import type { ImpactView } from './schema.ts';
import { countUsers, hasEventUntil, listCandidates } from './store.ts';
import { baselinesOf, type Span, windowMinMs, windowOf } from './windows.ts';

/** Events read for one answer. */
export const eventsMax = 5_000_000;

export type ImpactRequest = {
  projectId: string;
  incident: IncidentTimes;
  incidents: Pick<Incidents, 'listGrave'>;
  errors: readonly string[] | null;
  environment: string;
  lookbackMinutes: number;
  /** Days that raw events are kept. */
  retentionDays: number;
};

/** Whom an incident affected, who stayed away, and which releases preceded it. */
export async function readImpact(
  sql: Sql,
  request: ImpactRequest,
  nowMs: number,
  limit = eventsMax,
): Promise<ImpactView> {
  const { projectId, incident, incidents, errors, retentionDays } = request;
  const window = windowOf({ startedAt: incident.started_at, resolvedAt: incident.resolved_at }, nowMs);
  const budget: Budget = { left: limit };
  const keptFromMs = nowMs - retentionDays * dayMs;
  return {
    definition: 1,
    computed_at: toTimestamp(nowMs),
    window: { from: toTimestamp(window.fromMs), to: toTimestamp(window.toMs) },
    ...(await readUsers(sql, { projectId, window, incidents, errors, keptFromMs, nowMs }, budget)),
    releases: await readReleases(sql, request, { keptFromMs, nowMs }, budget),
    source: 'raw',
    estimated: false,
  };
}

type Scope = Pick<ImpactRequest, 'projectId' | 'incidents' | 'errors'> & {
  window: Span;
  keptFromMs: number;
  nowMs: number;
};

async function readUsers(sql: Sql, scope: Scope, budget: Budget): Promise<Pick<ImpactView, 'users' | 'missing'>> {
  const { projectId, window, errors, keptFromMs, nowMs } = scope;
  const unknown = (reason: Reason) => ({ users: cannotTell(reason), missing: missingUnknown(reason) });
  if (window.fromMs < keptFromMs) return unknown('not_kept');
  const count = (span: Span) => spend(budget, limit => countUsers(sql, projectId, span, { errors, limit }));
  const users = await count(window);
  if (users === null) return unknown('too_many_events');
  const counts = { with_errors: users.withErrors, active: users.active };
  const uncompared = (reason: Reason) => ({
    users: { ...cannotTell(reason), ...counts },
    missing: missingUnknown(reason),
  });
  if (window.toMs - window.fromMs < windowMinMs) return uncompared('window_too_short');
  const month = { fromMs: window.fromMs - 28 * dayMs, toMs: window.fromMs };
  const grave = await scope.incidents.listGrave(sql, projectId, month, nowMs);
  const baselines: Users[] = [];
  for (const span of baselinesOf(window, { keptFromMs, incidents: grave })) {
    if (!(await hasEventUntil(sql, projectId, span.fromMs))) continue;
    const baseline = await count(span);
    if (baseline === null) return uncompared('too_many_events');
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
  const scope = { projectId, errors, keptFromMs, nowMs };
  const candidates: ImpactView['releases']['candidates'] = [];
  for (const release of found) {
    const compared = await compareSides(sql, scope, release, found.length, budget);
    candidates.push({
      id: release.id,
      version: release.version,
      name: release.name,
      released_at: toTimestamp(release.released_at),
      ...compared,
      new_errors: [],
    });
  }
  // With what is left: the comparisons are worth more.
  for (const [index, candidate] of candidates.entries()) {
    const release = found[index];
    if (release !== undefined && candidate.after !== null)
      candidate.new_errors = await findNewErrors(sql, scope, release, budget);
  }
  return { status: candidates.length === 0 ? 'none' : 'measured', candidates };
}
