import type { MonitorHooks } from '../monitors/hooks.ts';

/** What follows the end of a window. Bound in control-plane/roles/workflow.ts. */
export type MaintenanceHooks = Pick<MonitorHooks, 'checkWanted'>;
