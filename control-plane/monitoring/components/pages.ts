import type { Impact } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';

/** What components ask of their pages, of a later wing. Bound in control-plane/roles/wings.ts. */
export type ComponentPages = {
  /** Those of the ids that are not status pages of the project; the others stay until the transaction ends. */
  unknownPages: (sql: Sql, projectId: string, ids: readonly string[]) => Promise<string[]>;
  /** The impacts of the open incidents that affect each component, by its id. */
  listOpenImpacts: (sql: Sql, components: readonly PlacedComponent[]) => Promise<ReadonlyMap<string, Impact[]>>;
};

/** A component, and the page it belongs to. */
export type PlacedComponent = { id: string; status_page_id: string };
