import type { Sql } from '../../platform/db/sql.ts';
import type { Span } from './windows.ts';

export type IncidentTimes = { started_at: number; resolved_at: number | null };

/** What impact asks of incidents, which belong to another wing. Bound in control-plane/roles/wings.ts. */
export type Incidents = {
  /** Null when the project has no such incident. */
  findTimes: (sql: Sql, projectId: string, id: string) => Promise<IncidentTimes | null>;
  /** The grave incidents of the project at any time of the span; open ones last until now. */
  listGrave: (sql: Sql, projectId: string, span: Span, nowMs: number) => Promise<Span[]>;
};
