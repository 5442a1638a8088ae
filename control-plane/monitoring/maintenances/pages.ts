import type { Sql } from '../../platform/db/sql.ts';
import type { Scope } from '../memberships/member-store.ts';

/** What windows ask of the pages that announce them, of a later wing. Bound in control-plane/roles/wings.ts. */
export type AnnouncingPages = {
  /** Those of the ids that are not status pages of the project. */
  unknownPages: (sql: Sql, projectId: string, ids: readonly string[]) => Promise<string[]>;
  /** The pages that are in a scope, by themselves or by their components. */
  listScopePages: (sql: Sql, scope: Pick<Scope, 'component_ids' | 'status_page_ids'>) => Promise<string[]>;
  /** Takes from a project's day what an update brings to subscribers of the pages. Throws `limit_reached`. */
  requireDeliveries: (sql: Sql, projectId: string, pageIds: readonly string[], nowMs: number) => Promise<void>;
};
