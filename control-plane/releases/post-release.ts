import { newId } from '#shared/ids.ts';
import type { SeriesStore } from '../db/series.ts';
import type { Sql } from '../db/sql.ts';
import { limits, type NewEvent } from '../events/event.ts';
import { inspectProps } from '../events/props.ts';
import { storeEvents } from '../events/store.ts';
import { fieldProblem } from '../http/problem.ts';
import type { ReleaseHooks } from './hooks.ts';
import { attributedEnvironment, type ReleasePost } from './release.ts';
import { findReleaseOf, insertRelease, listMarkers, type ReleaseRow } from './store.ts';

export type ReleaseServices = { hooks: ReleaseHooks; series: SeriesStore };

/**
 * Writes a release and its event once. The same version and environment again changes nothing and returns the first
 * release, with `created` false. Throws `validation_failed`.
 */
export async function postRelease(
  sql: Sql,
  { hooks, series }: ReleaseServices,
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
  await series.ensure('events', [nowMs]);
  await storeEvents(sql, [eventOf(row)], nowMs);
  if (row.environment === attributedEnvironment) {
    const next = (await listMarkers(sql, projectId)).find(marker => marker.atMs > row.released_at);
    await hooks.released(sql, projectId, row.released_at, next?.atMs ?? nowMs + limits.aheadMs);
  }
  return { row: inserted, created: true };
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
