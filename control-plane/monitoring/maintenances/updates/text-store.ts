import { fragment, type Sql } from '../../../platform/db/sql.ts';
import { columnsOf, type RenderedRow, renderedAs } from '../../../platform/markup/rendered-store.ts';

/** Stores what was rendered of updates and of descriptions, unless the text was edited meanwhile. */
export async function saveMaintenanceTexts(
  sql: Sql,
  maintenanceUpdates: readonly RenderedRow[],
  descriptions: readonly RenderedRow[],
): Promise<void> {
  if (maintenanceUpdates.length > 0)
    await sql.run`
      update maintenance_updates
      set html = fresh.html, excerpt = fresh.excerpt, rendered_as = ${renderedAs(fragment`body`)}
      from ${columnsOf(maintenanceUpdates)}
      where maintenance_updates.id = fresh.id and md5(body) = fresh.hash`;
  if (descriptions.length > 0)
    await sql.run`
      update maintenances
      set description_html = fresh.html,
        description_excerpt = fresh.excerpt,
        description_rendered_as = ${renderedAs(fragment`description`)}
      from ${columnsOf(descriptions)}
      where maintenances.id = fresh.id and md5(description) = fresh.hash`;
}
