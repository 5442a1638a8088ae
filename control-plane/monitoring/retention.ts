import { dayMs } from '#shared/duration.ts';
import type { RetentionServices } from '../platform/services.ts';
import type { Retention } from '../platform/timers/retention.ts';
import { purgeAgents } from './agents/revoked-store.ts';
import { deleteDnsRunsBefore } from './checks/intake/dns-run-store.ts';
import { purgeMonitors } from './checks/purge-monitors.ts';
import { rawDays } from './checks/storage/insert-store.ts';
import { deleteOutputsBefore } from './checks/storage/output-store.ts';
import { purgeMaintenances } from './maintenances/deleted-store.ts';
import { deleteRunsBefore } from './monitors/bulk/store.ts';
import { attendanceDays } from './monitors/heartbeats/away.ts';
import { deleteAttendanceBefore } from './monitors/heartbeats/store.ts';
import { revivalDays } from './monitors/monitor.ts';
import { deleteRulesBefore, deleteVersionsBefore } from './monitors/versions/store.ts';
import { deleteNoticesClosedBefore } from './notices/store.ts';
import { deleteProbesBefore } from './probes/store.ts';
import { deleteLookupsBefore } from './rdap/lookup-store.ts';
import { deleteTurnsBefore } from './rdap/turn-store.ts';

/** Results as they were reported, and what they have in common. */
const rawMs = rawDays * dayMs;
const versionsMs = 31 * dayMs;
const deletedMs = 30 * dayMs;

/** What is deleted by age of monitors. */
export function monitoringRetention({ pools, series, log }: RetentionServices): readonly Retention[] {
  const pool = pools.background;
  const dropRaw = async (name: string, beforeMs: number) => {
    const dropped = await series.dropBefore(name, beforeMs);
    if (dropped.length > 0) log.info({ dropped }, 'raw results past their retention were dropped');
  };
  return [
    { name: 'check_results', keepMs: rawMs, run: (_, beforeMs) => dropRaw('check_results', beforeMs) },
    { name: 'check_shapes', keepMs: rawMs, run: (_, beforeMs) => dropRaw('check_shapes', beforeMs) },
    { name: 'bulk_runs', keepMs: dayMs, run: deleteRunsBefore },
    { name: 'monitor_versions', keepMs: versionsMs, run: deleteVersionsBefore },
    { name: 'rules_versions', keepMs: versionsMs, run: deleteRulesBefore },
    { name: 'signal_outputs', keepMs: rawMs, run: deleteOutputsBefore },
    { name: 'dns_runs', keepMs: rawMs, run: deleteDnsRunsBefore },
    { name: 'front_attendance', keepMs: attendanceDays * dayMs, run: deleteAttendanceBefore },
    { name: 'domain_lookups', keepMs: rawMs, run: deleteLookupsBefore },
    { name: 'rdap_servers', keepMs: dayMs, run: deleteTurnsBefore },
    { name: 'probes', keepMs: 0, run: deleteProbesBefore },
    { name: 'notices', keepMs: 90 * dayMs, run: deleteNoticesClosedBefore },
    { name: 'deleted monitors', keepMs: 0, run: (_, nowMs) => purgeMonitors(pool, nowMs - revivalDays * dayMs, nowMs) },
    { name: 'deleted maintenances', keepMs: deletedMs, run: purgeMaintenances },
    { name: 'revoked agents', keepMs: deletedMs, run: purgeAgents },
  ];
}
