import { toTimestamp } from '#shared/clock.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import { attributedEnvironment, type ReleaseView } from './release.ts';

export type ReleaseRow = Omit<ReleaseView, 'released_at' | 'created_at'> & { released_at: number; created_at: number };

/** Null when this version is released in this environment already: of two at once the index lets one in. */
export async function insertRelease(sql: Sql, row: ReleaseRow): Promise<ReleaseRow | null> {
  return sql.row<ReleaseRow>(
    `insert into releases (id, project_id, version, name, environment, released_at, url, commit_sha, props, event_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (project_id, environment, version) do nothing returning *`,
    [
      row.id,
      row.project_id,
      row.version,
      row.name,
      row.environment,
      instant(row.released_at),
      row.url,
      row.commit_sha,
      row.props === null ? null : JSON.stringify(row.props),
      row.event_id,
      instant(row.created_at),
    ],
  );
}

export async function findReleaseOf(
  sql: Sql,
  projectId: string,
  environment: string,
  version: string,
): Promise<ReleaseRow | null> {
  return sql.row<ReleaseRow>('select * from releases where project_id = $1 and environment = $2 and version = $3', [
    projectId,
    environment,
    version,
  ]);
}

export async function findRelease(sql: Sql, projectId: string, id: string): Promise<ReleaseRow | null> {
  return sql.row<ReleaseRow>('select * from releases where project_id = $1 and id = $2', [projectId, id]);
}

export type ReleaseFilter = { environment: string | null; fromMs: number | null; toMs: number | null };

/** Newest first. */
export async function listReleases(
  sql: Sql,
  projectId: string,
  filter: ReleaseFilter,
  page: Page,
): Promise<ReleaseRow[]> {
  return sql.rows<ReleaseRow>(
    `select * from releases where project_id = $1 and ($2::text is null or environment = $2)
       and released_at >= coalesce($3::timestamptz, '-infinity') and released_at < coalesce($4::timestamptz, 'infinity')
       and ($5::timestamptz is null or (released_at, id) < ($5, $6)) order by released_at desc, id desc limit $7`,
    [
      projectId,
      filter.environment,
      instant(filter.fromMs),
      instant(filter.toMs),
      instant(page.after?.[0] ?? null),
      page.after?.[1] ?? null,
      page.limit + 1,
    ],
  );
}

/** Where entries begin to belong to a release. */
export type Marker = { id: string; atMs: number; version: string; name: string | null };

/** In order of time; of several at one instant the last counts. */
export async function listMarkers(sql: Sql, projectId: string): Promise<Marker[]> {
  const rows = await sql.rows<{ id: string; released_at: number; version: string; name: string | null }>(
    'select id, released_at, version, name from releases where project_id = $1 and environment = $2 order by released_at, id',
    [projectId, attributedEnvironment],
  );
  const markers = rows.map(({ released_at, ...row }) => ({ ...row, atMs: released_at }));
  return markers.filter((marker, place) => marker.atMs !== markers[place + 1]?.atMs);
}

export function viewRelease(row: ReleaseRow): ReleaseView {
  return { ...row, released_at: toTimestamp(row.released_at), created_at: toTimestamp(row.created_at) };
}

export async function deleteReleasesOf(sql: Sql, projectId: string): Promise<number> {
  return sql.run('delete from releases where project_id = $1', [projectId]);
}
