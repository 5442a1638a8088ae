import { newId } from '#shared/ids.ts';
import type { SeriesStore } from '../../platform/db/series/series.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import { requireWithinQuota } from '../../platform/project-limits/quota-store.ts';
import { limits, type NewEvent } from '../events/event.ts';
import type { Limiter } from '../events/limiter.ts';
import { bucketsOf } from '../events/limits.ts';
import { inspectProps } from '../events/props.ts';
import { findIngestProject, storeEvents } from '../events/store.ts';
import { analyticsCounts } from '../quotas/store.ts';
import type { ReleaseHooks } from './hooks.ts';
import { attributedEnvironment, type ReleasePost } from './release.ts';
import { findNextMarker, findReleaseOf, insertRelease, type ReleaseRow } from './store.ts';

/** `limiter`: of events, since each release writes one. */
export type ReleaseServices = { hooks: ReleaseHooks; series: SeriesStore; limiter: Limiter };

/**
 * Writes a release and its event once. The same version and environment again changes nothing and returns the first
 * release, with `created` false. Throws `validation_failed`, and like events `rate_limited` or `limit_reached`.
 */
export async function postRelease(
  sql: Sql,
  { hooks, series, limiter }: ReleaseServices,
  projectId: string,
  body: ReleasePost,
  nowMs: number,
): Promise<{ row: ReleaseRow; created: boolean }> {
  const row = rowOf(projectId, body, nowMs);
  const inserted = await insertRelease(sql, row);
  if (inserted === null) {
    const existing = await findReleaseOf(sql, projectId, row.environment, row.version);
    return { row: existing ?? row, created: false };
  }
  await requireWithinQuota(sql, projectId, analyticsCounts.releases);
  const event = eventOf(row);
  await charge(sql, limiter, event, nowMs);
  await series.ensure('events', [nowMs]);
  await storeEvents(sql, [event], nowMs);
  if (row.environment === attributedEnvironment) {
    const nextMs = await findNextMarker(sql, projectId, row.released_at);
    await hooks.released(sql, projectId, row.released_at, nextMs ?? nowMs + limits.aheadMs);
  }
  return { row: inserted, created: true };
}

/** A release is stored with its event and its entry of the audit: all three count. */
async function charge(sql: Sql, limiter: Limiter, { projectId, props }: NewEvent, nowMs: number): Promise<void> {
  const project = await findIngestProject(sql, projectId);
  if (project === null) return;
  const load = { events: 1, bytes: 3 * Buffer.byteLength(props ?? '') };
  await limiter.charge(bucketsOf({ projectId, source: 'server', address: '', nowMs }, load, project));
}

function rowOf(projectId: string, body: ReleasePost, nowMs: number): ReleaseRow {
  const releasedAt = body.released_at ?? nowMs;
  if (releasedAt > nowMs + limits.aheadMs)
    throw fieldProblem('/released_at', 'in_future', 'must not be more than an hour in the future');
  if (releasedAt < limits.earliestMs)
    throw fieldProblem('/released_at', 'out_of_range', 'must not be before the year 2000');
  const props = body.props ?? null;
  const inspected = props === null ? null : inspectProps(props, false);
  if (inspected !== null && !('json' in inspected))
    throw fieldProblem(`/props${inspected.at}`, inspected.code, inspected.detail);
  if (inspected !== null && Buffer.byteLength(inspected.json) > limits.jsonBytes)
    throw fieldProblem('/props', 'too_long', `must have at most ${limits.jsonBytes} bytes of JSON`);
  return {
    id: newId('rel'),
    project_id: projectId,
    version: body.version,
    name: body.name ?? null,
    environment: body.environment,
    released_at: releasedAt,
    url: body.url ?? null,
    commit_sha: body.commit_sha ?? null,
    props,
    event_id: newId('evt'),
    created_at: nowMs,
  };
}

/** The event that marks the release on timelines. */
function eventOf(row: ReleaseRow): NewEvent {
  const { version, environment, url, commit_sha, props } = row;
  const shown = { release_id: row.id, version, environment, url, commit_sha, ...(props === null ? {} : { props }) };
  return {
    projectId: row.project_id,
    source: 'server',
    id: row.event_id,
    name: row.name ?? row.version,
    type: 'release',
    actor: null,
    externalUserId: null,
    sessionId: null,
    props: JSON.stringify(shown),
    timestamp: row.released_at,
    dedupId: null,
  };
}
