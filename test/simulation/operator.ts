import type { VersionRules } from '#control-plane/monitoring/checks/intake/accept.ts';
import { warningOf } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { configure } from './judging.ts';
import type { Process } from './process.ts';
import type { MonitorRow, Rows } from './rows.ts';
import type { Edit, MonitorPlan } from './scenario.ts';
import type { World } from './world.ts';

type Version = MonitorRow['versions'][number]['stored'];
type Change = Pick<Version, 'dropsVotes' | 'resetsStart'> & { rules: Partial<Version['rules']> };

const pausedMs = 10_000;
const retryMs = 1000;

/** Creates the monitors of a scenario before anything else happens. */
export function createMonitor(rows: Rows, { id, alertRules, needs, ...plan }: MonitorPlan, nowMs: number): void {
  const { regions, quorum, intervalMs, timeoutMs } = plan;
  const rules = { configVersion: 0, regions, quorum, intervalMs, timeoutMs, enabled: true, deleted: false };
  rows.monitors.put(id, { id, alertRules, needs, configuredAt: nowMs, xid: 0, versions: [] });
  addVersion(rows, id, { rules, dropsVotes: true, resetsStart: true }, nowMs);
}

/** What operators do, by a process that always runs. They try again while the database is away. */
export async function edit(world: World, operator: Process, { monitorId, change }: Edit): Promise<void> {
  const quorum = world.database.rows.monitors.get(monitorId)?.versions.at(-1)?.stored.rules.quorum ?? 1;
  world.note(() => `operator: ${change} ${monitorId.slice(-1)}`);
  switch (change) {
    case 'target':
      return submit(world, operator, monitorId, { rules: {}, dropsVotes: true, resetsStart: true });
    case 'quorum':
      return submit(world, operator, monitorId, {
        rules: { quorum: quorum === 2 ? 1 : 2 },
        dropsVotes: false,
        resetsStart: true,
      });
    case 'pause':
      await submit(world, operator, monitorId, { rules: { enabled: false }, dropsVotes: true, resetsStart: true });
      await operator.wait(pausedMs);
      return submit(world, operator, monitorId, { rules: { enabled: true }, dropsVotes: true, resetsStart: true });
    default:
      return change satisfies never;
  }
}

async function submit(world: World, operator: Process, monitorId: string, change: Change): Promise<void> {
  const { database } = world;
  for (;;) {
    try {
      await database.transact(operator, rows => addVersion(rows, monitorId, change, database.now()));
      return world.notifyConfig();
    } catch {
      await operator.wait(retryMs);
    }
  }
}

function addVersion(rows: Rows, monitorId: string, change: Change, atMs: number): void {
  const monitor = rows.monitors.get(monitorId);
  if (monitor === undefined) return;
  const before = monitor.versions.at(-1)?.stored.rules;
  const rules = { ...before, ...change.rules, configVersion: (before?.configVersion ?? 0) + 1 } as Version['rules'];
  const { regions, intervalMs, timeoutMs } = rules;
  const warning = warningOf(monitor.alertRules);
  const accepted: VersionRules = {
    projectId: 'proj_1',
    atMs,
    regions,
    intervalMs,
    timeoutMs,
    p95: [],
    warning,
    warnOn: [],
  };
  const stored: Version = { ...change, rules, at: atMs, warning };
  const versions = [...monitor.versions, { stored, rules: accepted }];
  const changed = { ...monitor, versions, configuredAt: atMs, xid: rows.xid };
  rows.monitors.put(monitorId, changed);
  configure(rows, changed, atMs);
}
