import { saveMaintenanceTexts } from '../../../monitoring/maintenances/updates/text-store.ts';
import { fragment, type Sql } from '../../../platform/db/sql.ts';
import { columnsOf, renderedAs } from '../../../platform/markup/rendered-store.ts';
import type { Texts } from './texts.ts';

/** Stores what was rendered, unless the text was edited meanwhile. */
export async function saveTexts(sql: Sql, texts: Texts): Promise<void> {
  const updates = texts.list('update');
  if (updates.length > 0)
    await sql.run`
      update incident_updates
      set html = fresh.html, excerpt = fresh.excerpt, rendered_as = ${renderedAs(fragment`body`)}
      from ${columnsOf(updates)}
      where incident_updates.id = fresh.id and md5(body) = fresh.hash`;
  const postmortems = texts.list('postmortem');
  if (postmortems.length > 0)
    await sql.run`
      update incidents
      set postmortem_html = fresh.html, postmortem_rendered_as = ${renderedAs(fragment`postmortem_body`)}
      from ${columnsOf(postmortems)}
      where incidents.id = fresh.id and md5(postmortem_body) = fresh.hash`;
  await saveMaintenanceTexts(sql, texts.list('maintenance_update'), texts.list('maintenance'));
}
