import { attendanceMs } from '#control-plane/monitoring/monitors/heartbeats/away.ts';
import type { World } from './world.ts';

/** A silence that nothing disturbed is one outage, with one alert. */
export function requireSilenceTold(world: World, openOf: (id: string, kind: string) => readonly unknown[]): void {
  for (const { monitor } of world.scenario.jobs) {
    const verdict = world.database.rows.states.get(monitor.id)?.verdict;
    if (verdict !== 'down') world.ledger.fail(`${monitor.id} is ${verdict} in a silence`);
    const open = openOf(monitor.id, 'down').length;
    if (open !== 1) world.ledger.fail(`${monitor.id} has ${open} unresolved alerts in a silence`);
    const ours = [...world.database.rows.results.values()].filter(({ monitor_id }) => monitor_id === monitor.id);
    const heard = Math.max(...ours.filter(({ kind }) => kind === 'signal').map(({ scheduled_at: at }) => at));
    const missed = missedOf(world, monitor.id).filter(deadline => deadline > heard);
    if (missed.length !== 1) world.ledger.fail(`${monitor.id} missed ${missed.length} deadlines in one silence`);
  }
}

/** What was taken is stored; nobody was down without a deadline that passed, and each has one alert. */
export function requireSignals(world: World): void {
  const { scenario, database, taken, ledger, startMs } = world;
  for (const { key } of taken)
    if (!world.isStored(key) && !world.broker.keeps(key)) ledger.fail(`${key} was taken and is not stored`);
  for (const { monitor, graceMs } of scenario.jobs) {
    const { id, intervalMs } = monitor;
    const deadlines = missedOf(world, id);
    for (const deadline of deadlines) {
      const from = deadline - intervalMs - graceMs;
      const signal = taken.find(({ monitorId, at }) => monitorId === id && at > from && at <= deadline);
      const seconds = (deadline - startMs) / 1000;
      if (signal !== undefined)
        ledger.fail(`${id} missed ${seconds}, and a signal came ${deadline - signal.at} ms before`);
      const isAway = world.unattended.some(one => deadline > one.from + attendanceMs && deadline < one.until);
      if (isAway) ledger.fail(`${id} missed ${seconds}, when nobody took signals`);
      const tries = world.heard.filter(({ monitorId, at }) => monitorId === id && at > from && at <= deadline);
      if (tries.length > 2) ledger.fail(`${id} missed ${seconds}, and its job was heard ${tries.length} times`);
    }
    const alerts = [...database.rows.alerts.values()].filter(({ monitorId }) => monitorId === id);
    for (const { startedAt } of alerts) {
      if (!deadlines.includes(startedAt)) ledger.fail(`an alert of ${id} starts where no deadline passed`);
      if (alerts.filter(other => other.startedAt === startedAt).length > 1) ledger.fail(`${id} has two alerts`);
    }
  }
}

function missedOf({ database }: World, id: string): number[] {
  const all = [...database.rows.results.values()].filter(
    ({ monitor_id, kind }) => monitor_id === id && kind === 'missed',
  );
  return all.map(({ completed_at: deadline }) => deadline);
}
