import type { Sql } from '../../platform/db/sql.ts';
import type { AlertRules } from './alert-rules.ts';
import type { ConfigurationChange } from './settings.ts';
import type { MonitorState, Rules } from './state/state.ts';

/** What follows a change of a monitor, in its transaction. Bound in control-plane/monitoring/hooks.ts. */
export type MonitorHooks = {
  /** The state row is locked; `state` is null for a monitor just made. */
  configured(
    sql: Sql,
    change: {
      monitorId: string;
      projectId: string;
      state: MonitorState | null;
      rules: Rules;
      change: ConfigurationChange;
      /** What a heartbeat missed is in time by the new rules. */
      recovers: boolean;
      atMs: number;
    },
  ): Promise<void>;
  /** Monitors have a new version by which they are judged alike. */
  reconfigured(sql: Sql): Promise<void>;
  /** Alerts are judged by other rules from now on. The state row is locked. */
  rulesChanged(
    sql: Sql,
    change: { state: MonitorState; before: AlertRules; after: AlertRules; atMs: number },
  ): Promise<void>;
  /** The agents of these regions are to check at once; `at` becomes the `scheduled_at` of their checks. */
  checkWanted(
    sql: Sql,
    check: { monitorId: string; projectId: string; configVersion: number; regions: readonly string[]; at: number },
  ): Promise<void>;
};
