import type { NoOpinion } from '#shared/check-result.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { WholeEvents } from '../kinds/events.ts';

/** What the events of a window came to: of a flow the users who finished it by those who began it. */
export type Counted = {
  /** Null where nobody began. */
  value: number | null;
  /** Events, or users who began a flow. */
  sample: number;
  /** Name of the events or of the flow. */
  name: string;
};

/** A window that ends at `untilMs`. */
export type Asked = {
  projectId: string;
  own: Pick<WholeEvents, 'event' | 'flow_id' | 'measure' | 'window_seconds' | 'within_seconds'>;
  untilMs: number;
  nowMs: number;
};

/** Who counts stored events. Bound in control-plane/roles/wings.ts. */
export type Meter = {
  /** Null if the project has no such flow. */
  findFlow(sql: Sql, projectId: string, id: string): Promise<{ windowSeconds: number } | null>;
  /** In a transaction, of which it ends statements that take long. */
  count(sql: Sql, asked: Asked): Promise<Counted | NoOpinion>;
};
