import type { MonitorHooks } from '../monitors/hooks.ts';

/** What follows the end of a window. Bound in control-plane/monitoring/timers.ts. */
export type MaintenanceHooks = Pick<MonitorHooks, 'checkWanted'>;
