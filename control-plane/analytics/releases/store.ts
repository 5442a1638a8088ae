import { toTimestamp } from '#shared/clock.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { attributedEnvironment, type ReleaseView } from './release.ts';

/** A release as stored: its times in milliseconds. */
export type ReleaseRow = Omit<ReleaseView, 'released_at' | 'created_at'> & { released_at: number; created_at: number };

const columns = fragment`id, project_id, version, name, environment, released_at, url, commit_sha, props, event_id,
      created_at`;

/** Null if this version is released in this environment already; the index decides between concurrent requests. */
export async function insertRelease(sql: Sql, row: ReleaseRow): Promise<ReleaseRow | null> {
  return sql.row<ReleaseRow>`
    insert into releases (${columns})
    values (
      ${row.id}, ${row.project_id}, ${row.version}, ${row.name}, ${row.environment}, ${instant(row.released_at)},
      ${row.url}, ${row.commit_sha}, ${row.props === null ? null : JSON.stringify(row.props)}, ${row.event_id},
      ${instant(row.created_at)}
    )
    on conflict (project_id, environment, version) do nothing
    returning ${columns}`;
}

/** Null if this version is not released in this environment. */
export async function findReleaseOf(
  sql: Sql,
  projectId: string,
  environment: string,
  version: string,
): Promise<ReleaseRow | null> {
  return sql.row<ReleaseRow>`
    select ${columns}
    from releases
    where project_id = ${projectId}
      and environment = ${environment}
      and version = ${version}`;
}

/** Null if the project has no such release. */
export async function findRelease(sql: Sql, projectId: string, id: string): Promise<ReleaseRow | null> {
  return sql.row<ReleaseRow>`
    select ${columns}
    from releases
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Releases at [fromMs, toMs); null for any environment and open ends. */
export type ReleaseFilter = { environment: string | null; fromMs: number | null; toMs: number | null };

/** Newest first: one more than the page. */
export async function listReleases(
  sql: Sql,
  projectId: string,
  { environment, fromMs, toMs }: ReleaseFilter,
  page: Page,
): Promise<ReleaseRow[]> {
  return sql.rows<ReleaseRow>`
    select ${columns}
    from releases
    where project_id = ${projectId}
      and (${environment}::text is null or environment = ${environment}::text)
      and released_at >= coalesce(${instant(fromMs)}::timestamptz, '-infinity')
      and released_at < coalesce(${instant(toMs)}::timestamptz, 'infinity')
      and ${olderThan(page, fragment`released_at, id`)}
    order by released_at desc, id desc
    limit ${page.limit + 1}`;
}

/** From `atMs` on, until the next marker, entries are attributed to this release. */
export type Marker = { id: string; atMs: number; version: string; name: string | null };

/** When the next release after `atMs` takes over; null if none does. */
export async function findNextMarker(sql: Sql, projectId: string, atMs: number): Promise<number | null> {
  const row = await sql.row<{ released_at: number }>`
    select released_at
    from releases
    where project_id = ${projectId}
      and environment = ${attributedEnvironment}
      and released_at > ${instant(atMs)}
    order by released_at
    limit 1`;
  return row?.released_at ?? null;
}

/** Ascending in time; of several releases at one instant only the last. */
export async function listMarkers(sql: Sql, projectId: string): Promise<Marker[]> {
  const rows = await sql.rows<Pick<ReleaseRow, 'id' | 'released_at' | 'version' | 'name'>>`
    select id, released_at, version, name
    from releases
    where project_id = ${projectId}
      and environment = ${attributedEnvironment}
    order by released_at, id`;
  const markers = rows.map(({ released_at, ...row }) => ({ ...row, atMs: released_at }));
  return markers.filter((marker, index) => marker.atMs !== markers[index + 1]?.atMs);
}

/** A release as the API shows it. */
export function viewRelease(row: ReleaseRow): ReleaseView {
  return { ...row, released_at: toTimestamp(row.released_at), created_at: toTimestamp(row.created_at) };
}

/** Null if the project has no such release. */
export async function deleteRelease(sql: Sql, projectId: string, id: string): Promise<ReleaseRow | null> {
  return sql.row<ReleaseRow>`
    delete from releases
    where project_id = ${projectId}
      and id = ${id}
    returning ${columns}`;
}

/** Deletes all releases of a project, and returns how many. */
export async function deleteReleasesOf(sql: Sql, projectId: string): Promise<number> {
  return sql.run`delete from releases where project_id = ${projectId}`;
}
