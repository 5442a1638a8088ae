import { isWithoutAgents } from '#control-plane/monitoring/monitors/state/state.ts';
import { type QuarantineScope, Quarantines } from '#control-plane/monitoring/verdicts/quarantine.ts';
import type { RegionFault } from '#control-plane/monitoring/verdicts/region-fault-store.ts';
import { decideQuarantines, monitorsMin, type RegionTally } from '#control-plane/monitoring/verdicts/region-tally.ts';
import { minuteMs } from '#shared/duration.ts';
import { isAble } from './abilities.ts';
import { rejudge } from './judging.ts';
import type { Process } from './process.ts';
import type { FaultRow, Rows } from './rows.ts';
import type { Tenancy } from './scenario.ts';
import type { World } from './world.ts';

const windowMs = minuteMs;
const judgingMs = minuteMs / 2;

/** Quarantines faulty regions and ends quarantines, as `watchRegions` does. */
export async function watchRegions(world: World, process: Process, nowMs: number): Promise<void> {
  const { database, mutation, scenario } = world;
  const change = await database.transact(process, rows => {
    const { started, ended } = decideQuarantines(tallyRegions(rows, scenario.tenancy, nowMs - windowMs), lasting(rows));
    const before = new Quarantines(lasting(rows));
    for (const scope of started)
      rows.faults.put(keyOf(scope, nowMs), { ...scope, since: nowMs, until: null, judgeAt: nowMs + judgingMs });
    for (const fault of rows.faults.values())
      if (fault.until === null && ended.some(scope => isSame(scope, fault)))
        rows.faults.put(keyOf(fault, fault.since), { ...fault, until: nowMs, judgeAt: nowMs + judgingMs });
    const isOwn = ({ since, until }: FaultRow) => since === nowMs || until === nowMs;
    const changed = [...rows.faults.values()].filter(fault => isOwn(fault) || (fault.judgeAt ?? Infinity) <= nowMs);
    for (const fault of changed) rows.faults.put(keyOf(fault, fault.since), { ...fault, judgeAt: nowMs + judgingMs });
    return { changed, before, after: new Quarantines(lasting(rows)) };
  });
  if (change.changed.length === 0) return;
  for (const { region, projectId, since, until } of change.changed) {
    world.note(() => `${region} for ${projectId}: quarantines are now ${[...change.after.of('proj_1')]}`);
    if (mutation === 'quarantines are not judged') continue;
    const changedAtMs = until ?? since;
    const key = keyOf({ region, projectId }, since);
    await database.transact(process, rows => {
      const isWhole = rejudge(rows, region, change, changedAtMs === nowMs ? null : changedAtMs, nowMs);
      const fault = rows.faults.get(key);
      if (isWhole && fault?.until === until) rows.faults.put(key, { ...fault, judgeAt: null });
    });
  }
  const { after } = change;
  await database.transact(process, rows => requireJudged(world, rows, after.of('proj_1')));
}

/** When quarantines have changed, every monitor was judged by them, unless another process has changed them again. */
function requireJudged({ ledger }: World, rows: Rows, after: ReadonlySet<string>): void {
  const text = (regions: ReadonlySet<string> = new Set()) => [...regions].sort().join(' ');
  if (text(rows.quarantined) !== text(after)) return;
  for (const { monitorId, rules } of rows.states.values())
    if (rules.enabled && !isWithoutAgents(rules) && text(rows.judgedUnder.get(monitorId)) !== text(rows.quarantined))
      ledger.fail(`${monitorId} was not judged when quarantines changed to "${text(rows.quarantined)}"`);
}

/** The quarantines that had not ended by an instant, oldest first, as `listFaults` reads them. */
export function faultsOf(rows: Rows, fromMs: number): RegionFault[] {
  return [...rows.faults.values()]
    .filter(({ until, projectId }) => (until === null || until > fromMs) && (projectId ?? 'proj_1') === 'proj_1')
    .sort((left, right) => left.since - right.since);
}

/** As the statement of that name. Each monitor stands for several of each project, on hosts of their own. */
function tallyRegions(rows: Rows, { projects, each }: Tenancy, sinceMs: number): RegionTally[] {
  const downs = [...rows.voteDowns.values()].filter(({ at }) => at > sinceMs);
  const suspects = new Set([
    ...downs
      .map(({ region }) => region)
      .filter(region => distinct(downs.filter(down => down.region === region)) * each * projects >= monitorsMin),
    ...lasting(rows).map(({ region }) => region),
  ]);
  return [...suspects].flatMap(region => {
    const states = [...rows.states.values()].filter(({ rules }) => rules.enabled && rules.regions.includes(region));
    if (states.length === 0) return [];
    const compared = states.map(({ monitorId, votes }) => {
      const others = Object.entries(votes).flatMap(([other, { vote }]) => (other === region ? [] : [vote]));
      const isGood = (vote: string | undefined) => vote === 'up' || vote === 'warn';
      const disagrees = votes[region]?.vote === 'down' && !others.includes('down') && others.some(isGood);
      const isNew = downs.some(down => down.region === region && down.monitorId === monitorId);
      return { good: isGood(votes[region]?.vote), able: isRunnable(rows, monitorId, region), disagrees, isNew };
    });
    const count = (of: (monitor: (typeof compared)[number]) => boolean) => compared.filter(of).length * each;
    const newlyDisagreeing = count(({ disagrees, isNew }) => disagrees && isNew);
    const tally = {
      region,
      monitors: count(() => true),
      able: count(({ able }) => able),
      disagreeing: count(({ disagrees }) => disagrees),
      good: count(({ good }) => good),
      newlyDisagreeing,
      newlyDisagreeingHosts: newlyDisagreeing,
    };
    return Array.from({ length: projects }, (_, index) => ({ ...tally, projectId: `proj_${index + 1}` }));
  });
}

/** Whether an agent that is online in the region says that it can run the monitor. */
function isRunnable(rows: Rows, monitorId: string, region: string): boolean {
  const needs = rows.monitors.get(monitorId)?.needs ?? '';
  if (needs === '') return true;
  return [...rows.agents.values()].some(
    agent => agent.region === region && agent.online && isAble(needs, agent.able.split(' ')),
  );
}

function lasting(rows: Rows): QuarantineScope[] {
  return [...rows.faults.values()].filter(({ until }) => until === null);
}

function distinct(downs: readonly { monitorId: string }[]): number {
  return new Set(downs.map(({ monitorId }) => monitorId)).size;
}

function isSame(left: QuarantineScope, right: QuarantineScope): boolean {
  return left.region === right.region && left.projectId === right.projectId;
}

function keyOf({ region, projectId }: QuarantineScope, since: number): string {
  return `${region} ${projectId} ${since}`;
}
