import type pg from 'pg';
import { dayMs } from '#shared/duration.ts';
import type { Retention } from '../platform/timers/retention.ts';
import { purgeAgents } from './agents/revoked-store.ts';
import { purgeMonitors } from './checks/purge-monitors.ts';
import { purgeComponents } from './components/deleted-store.ts';
import { purgeMaintenances } from './maintenances/deleted-store.ts';
import { deleteRunsBefore } from './monitors/bulk/store.ts';
import { revivalDays } from './monitors/monitor.ts';
import { deleteRulesBefore, deleteVersionsBefore } from './monitors/versions/store.ts';
import { deleteNoticesClosedBefore } from './notices/store.ts';
import { deleteProbesBefore } from './probes/store.ts';

const versionsMs = 31 * dayMs;
const deletedMs = 30 * dayMs;

/** `pool` is for what takes a transaction for each item. */
export function monitoringRetention(pool: pg.Pool): readonly Retention[] {
  return [
    { name: 'bulk_runs', keepMs: dayMs, run: deleteRunsBefore },
    { name: 'monitor_versions', keepMs: versionsMs, run: deleteVersionsBefore },
    { name: 'rules_versions', keepMs: versionsMs, run: deleteRulesBefore },
    { name: 'probes', keepMs: 0, run: deleteProbesBefore },
    { name: 'notices', keepMs: 90 * dayMs, run: deleteNoticesClosedBefore },
    { name: 'deleted monitors', keepMs: 0, run: (_, nowMs) => purgeMonitors(pool, nowMs - revivalDays * dayMs, nowMs) },
    { name: 'deleted maintenances', keepMs: deletedMs, run: purgeMaintenances },
    { name: 'deleted components', keepMs: deletedMs, run: purgeComponents },
    { name: 'revoked agents', keepMs: deletedMs, run: purgeAgents },
  ];
}
