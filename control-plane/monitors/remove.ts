import type { Sql } from '../db/sql.ts';
import { Problem } from '../http/problem.ts';
import type { MonitorServices } from './create.ts';
import { rulesOf } from './settings.ts';
import { lockStates } from './state-store.ts';
import { lockMonitor, markDeleted, toMonitor } from './store.ts';
import { insertVersion } from './version-store.ts';

/** Deletes a monitor; its history stays for 30 days. Throws `not_found`. */
export async function removeMonitor(
  sql: Sql,
  services: MonitorServices,
  target: { projectId: string; id: string },
  nowMs: number,
): Promise<void> {
  const [state] = await lockStates(sql, [target.id]);
  const row = await lockMonitor(sql, target.projectId, target.id);
  if (row === null || state === undefined) throw new Problem('not_found');
  const { settings, configVersion } = toMonitor(row, services.keyring);
  const change = { bumps: true, dropsVotes: true, movesFloor: true };
  // The deletion is a row of its own among the versions, and takes no number that a client could see.
  const rules = rulesOf(settings, -configVersion, true);
  await markDeleted(sql, target.id, nowMs);
  await insertVersion(sql, {
    monitorId: target.id,
    projectId: target.projectId,
    rules,
    change,
    assertions: [],
    atMs: nowMs,
  });
  await services.stages.configured(sql, {
    monitorId: target.id,
    projectId: target.projectId,
    state,
    rules,
    change,
    atMs: nowMs,
  });
}
