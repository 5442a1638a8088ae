import { integerLiteral } from '../../../platform/db/compose-sql.ts';
import { type Fragment, fragment, type Sql } from '../../../platform/db/sql.ts';
import { markupVersion } from '../../../platform/markup/rendered-text.ts';
import type { FreshText, Texts } from './texts.ts';

/** What `rendered_as` is where the stored HTML was made from this text by this version. */
export function renderedAs(body: Fragment): Fragment {
  return fragment`('${integerLiteral(markupVersion)} ' || md5(${body}))`;
}

/** Stores what was rendered, unless the text was edited meanwhile. */
export async function saveTexts(sql: Sql, texts: Texts): Promise<void> {
  const updates = texts.list('update');
  if (updates.length > 0)
    await sql.run`
      update incident_updates
      set html = fresh.html, excerpt = fresh.excerpt, rendered_as = ${renderedAs(fragment`body`)}
      from unnest(
        ${updates.map(text => text.id)}::text[],
        ${updates.map(text => text.hash)}::text[],
        ${updates.map(text => text.rendered.html)}::text[],
        ${updates.map(text => text.rendered.excerpt)}::text[]
      ) as fresh (id, hash, html, excerpt)
      where incident_updates.id = fresh.id and md5(body) = fresh.hash`;
  const postmortems = texts.list('postmortem');
  if (postmortems.length > 0)
    await sql.run`
      update incidents
      set postmortem_html = fresh.html, postmortem_rendered_as = ${renderedAs(fragment`postmortem_body`)}
      from unnest(
        ${postmortems.map(text => text.id)}::text[],
        ${postmortems.map(text => text.hash)}::text[],
        ${postmortems.map(text => text.rendered.html)}::text[]
      ) as fresh (id, hash, html)
      where incidents.id = fresh.id and md5(postmortem_body) = fresh.hash`;
  const maintenanceUpdates = texts.list('maintenance_update');
  if (maintenanceUpdates.length > 0)
    await sql.run`
      update maintenance_updates
      set html = fresh.html, excerpt = fresh.excerpt, rendered_as = ${renderedAs(fragment`body`)}
      from ${columnsOf(maintenanceUpdates)}
      where maintenance_updates.id = fresh.id and md5(body) = fresh.hash`;
  const descriptions = texts.list('maintenance');
  if (descriptions.length > 0)
    await sql.run`
      update maintenances
      set description_html = fresh.html,
        description_excerpt = fresh.excerpt,
        description_rendered_as = ${renderedAs(fragment`description`)}
      from ${columnsOf(descriptions)}
      where maintenances.id = fresh.id and md5(description) = fresh.hash`;
}

function columnsOf(texts: readonly FreshText[]): Fragment {
  return fragment`
    unnest(
      ${texts.map(text => text.id)}::text[],
      ${texts.map(text => text.hash)}::text[],
      ${texts.map(text => text.rendered.html)}::text[],
      ${texts.map(text => text.rendered.excerpt)}::text[]
    ) as fresh (id, hash, html, excerpt)`;
}
