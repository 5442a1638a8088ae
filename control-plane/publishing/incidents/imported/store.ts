import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { IncidentImport } from './import.ts';

/** An incident that an import has brought, now or before. */
export type Imported = { id: string; external_id: string };

type Target = Pick<IncidentImport, 'status_page_id' | 'source'> & { projectId: string };

/** Creates the incidents that no import of the source has brought to the page, resolved. Returns those. */
export async function insertImported(
  sql: Sql,
  { projectId, status_page_id: pageId, source }: Target,
  incidents: IncidentImport['incidents'],
  nowMs: number,
): Promise<Imported[]> {
  const rows = incidents.map(({ updates, started_at: startedAt, ...incident }) => ({
    ...incident,
    id: newId('inc', nowMs),
    started_at: instant(startedAt),
    resolved_at: instant(updates.at(-1)?.posted_at ?? startedAt),
  }));
  return sql.rows<Imported>`
    insert into incidents (
      id, project_id, status_page_id, title, severity, impact, affected_components, started_at, resolved_at,
      postmortem_body, created_at, updated_at, imported_from, imported_id
    )
    select
      n.id, ${projectId}, ${pageId}, n.title, n.severity, n.impact, n.affected_components, n.started_at, n.resolved_at,
      n.postmortem_body, ${instant(nowMs)}, ${instant(nowMs)}, ${source}, n.external_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (
      id text, external_id text, title text, severity text, impact text, affected_components text[],
      started_at timestamptz, resolved_at timestamptz, postmortem_body text
    )
    on conflict (status_page_id, imported_from, imported_id) where imported_from is not null do nothing
    returning id, imported_id as external_id`;
}

/** What imports of the source have brought to the page, of these. */
export function findImported(
  sql: Sql,
  { projectId, status_page_id: pageId, source }: Target,
  externalIds: readonly string[],
): Promise<Imported[]> {
  return sql.rows<Imported>`
    select id, imported_id as external_id
    from incidents
    where project_id = ${projectId}
      and status_page_id = ${pageId}
      and imported_from = ${source}
      and imported_id = any(${externalIds}::text[])`;
}

/** Adds the updates of new incidents, as they were posted. Feeds do not have them. */
export async function insertImportedUpdates(
  sql: Sql,
  { projectId, status_page_id: pageId }: Target,
  incidents: readonly { id: string; updates: IncidentImport['incidents'][number]['updates'] }[],
  nowMs: number,
): Promise<void> {
  const rows = incidents.flatMap(({ id: incidentId, updates }) =>
    updates.map(({ state, body, posted_at: postedAt }) => {
      return { id: newId('upd', nowMs), incident_id: incidentId, state, body, posted_at: instant(postedAt) };
    }),
  );
  await sql.run`
    insert into incident_updates (id, incident_id, project_id, status_page_id, state, body, posted_at, feed_at, in_feed)
    select
      n.id, n.incident_id, ${projectId}, ${pageId}, n.state, n.body, n.posted_at,
      date_trunc('second', ${instant(nowMs)}::timestamptz), false
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n (
      id text, incident_id text, state text, body text, posted_at timestamptz
    )`;
}

/** Locks the page, so that it is not deleted meanwhile. False if the project has none. */
export async function lockPage(sql: Sql, projectId: string, id: string): Promise<boolean> {
  const row = await sql.row`
    select
    from status_pages
    where project_id = ${projectId}
      and id = ${id}
      and deleted_at is null
    for share`;
  return row !== null;
}
