import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import { isVoter } from '#shared/vocabulary.ts';
import { isAbleRegion, verdictOfAll } from './abilities.ts';
import { requireSignals, requireSilenceTold } from './heartbeats.ts';
import { textOf } from './invariants.ts';
import { historyOf } from './replaying.ts';
import type { Rows } from './rows.ts';
import type { World } from './world.ts';

const recentMs = 15_000;
/** Results of several regions arrive in any order within a second; clocks of agents are off by the longest delay. */
const toleranceMs = 8000;
const disorderMs = 1000;
/** What is late because a clock went back is in the history, but casts no vote: that lasts for the life of a vote. */
const setBackToleranceMs = 15_000;

/** Some time after all faults: everything is as if there had been none. */
export function requireSettled(world: World): void {
  if (world.time.halted) return;
  requireOwners(world);
  if (world.database.rows.quarantined.size > 0) world.ledger.fail('a quarantine does not end');
  for (const { region, judgeAt } of world.database.rows.faults.values())
    if (judgeAt !== null) world.ledger.fail(`monitors were not judged again after a quarantine of ${region}`);
  requireArrived(world);
  requireVerdicts(world, 'down');
}

/** At the end of an outage in all regions that nothing disturbed. */
export function requireOutageTold(world: World): void {
  if (world.time.halted) return;
  const { rows } = world.database;
  const monitorId = world.scenario.monitors[0]?.id ?? '';
  const state = rows.states.get(monitorId);
  if (state?.verdict !== 'down') return world.ledger.fail(`${monitorId} is ${state?.verdict} in an outage`);
  const openOf = (id: string, kind: string) =>
    [...rows.alerts.values()].filter(
      alert => alert.monitorId === id && alert.kind === kind && alert.resolvedAt === null,
    );
  const open = openOf(monitorId, 'down');
  requireExpiryTold(world, openOf);
  requireSilenceTold(world, openOf);
  if (open.length !== 1) world.ledger.fail(`${monitorId} has ${open.length} unresolved alerts in an outage`);
}

/** Every certificate that expires soon has its alert; where it is part of the verdict, the monitor is degraded. */
function requireExpiryTold(world: World, openOf: (id: string, kind: string) => readonly unknown[]): void {
  for (const { id, isSecure, alertRules } of world.scenario.monitors) {
    const isDown = id === world.scenario.monitors[0]?.id;
    if (!isSecure || isDown || verdictOfAll(world, id, 'up') !== 'up') continue;
    if (openOf(id, 'certificate').length !== 1) world.ledger.fail(`${id} has no alert about its certificate`);
    const verdict = world.database.rows.states.get(id)?.verdict;
    const expected = verdictOfAll(world, id, alertRules.certificate.in_verdict ? 'warn' : 'up');
    if (verdict !== expected) world.ledger.fail(`${id} is ${verdict} instead of ${expected} while it expires soon`);
    // One that flaps stands for it.
    const told = openOf(id, 'degraded').length + openOf(id, 'down').length;
    if (expected === 'degraded' && told === 0) world.ledger.fail(`${id} has no alert although it is degraded`);
  }
}

/** When the outage is over as well. */
export function requireEnd(world: World, facts: readonly string[]): void {
  if (world.time.halted) return;
  const { rows } = world.database;
  requireArrived(world);
  requireVerdicts(world, 'up');
  requireSignals(world);
  for (const key of world.ledger.promised)
    if (!world.isStored(key) && !world.broker.keeps(key))
      world.ledger.fail(`${key} was acknowledged and is not stored`);
  for (const { monitorId, resolvedAt, flappingSince } of rows.alerts.values())
    if (resolvedAt === null && flappingSince === null && verdictOfAll(world, monitorId, 'up') === 'up')
      world.ledger.fail(`an alert of ${monitorId} does not end`);
  requireTold(world, facts);
  requireCounted(world);
  requireHistory(world);
}

/** Each monitor of a region has one owner among its agents, who has its current version; all are connected. */
function requireOwners(world: World): void {
  const sessions = [...world.gateways.values()].flatMap(gateway => [...gateway.sessions]);
  for (const { id } of world.scenario.agents)
    if (!sessions.some(session => session.agent.id === id && session.ready))
      world.ledger.fail(`${id} is not connected`);
  for (const { id, versions } of world.database.rows.monitors.values()) {
    const rules = versions.at(-1)?.stored.rules;
    for (const region of (rules?.regions ?? []).filter(code => !isVoter(code))) {
      const owners = world.scenario.agents.filter(
        agent => agent.region === region && world.agents.get(agent.id)?.assignments.versionOf(id) !== null,
      );
      const [owner] = owners;
      const expected = isAbleRegion(world, id, region) ? 1 : 0;
      if (owners.length !== expected) world.ledger.fail(`${id} has ${owners.length} owners in ${region}`);
      else if (owner === undefined) continue;
      else if (world.agents.get(owner.id)?.assignments.versionOf(id) !== rules?.configVersion)
        world.ledger.fail(`${owner.id} has another version of ${id}`);
    }
  }
}

/** Nothing has waited for long: in spools, streams, the outbox of facts, or for a replay. */
function requireArrived(world: World): void {
  const { rows } = world.database;
  for (const { id, disk } of world.hosts.values()) {
    const waiting = disk.rows.filter(({ createdMs }) => createdMs < world.time.now - recentMs);
    if (waiting.length > 0) world.ledger.fail(`${waiting.length} results wait in the spool of ${id}`);
  }
  const positionOf = (stream: string) => rows.positions.get(stream)?.seq ?? 0;
  if (world.broker.oldestMs(positionOf, world.time.now) > recentMs) world.ledger.fail('messages wait in a stream');
  for (const { monitorId, replayFrom } of rows.states.values())
    if (replayFrom !== null) world.ledger.fail(`late results of ${monitorId} were not replayed`);
}

/** Everything is up, or undetermined where agents of too few regions can check it; heartbeats are as their jobs. */
function requireVerdicts(world: World, ofJobs: 'up' | 'down'): void {
  for (const { monitorId, verdict } of world.database.rows.states.values()) {
    const isOfJob = world.scenario.jobs.some(({ monitor }) => monitor.id === monitorId);
    const expected = verdictOfAll(world, monitorId, isOfJob ? ofJobs : 'up');
    if (verdict !== expected) world.ledger.fail(`${monitorId} is ${verdict} instead of ${expected}`);
  }
}

/** Each of the facts became one delivery, which was sent. */
function requireTold(world: World, facts: readonly string[]): void {
  const { rows } = world.database;
  for (const id of facts) {
    const fact = rows.facts.get(id);
    const ours = [...rows.deliveries.values()].filter(({ factId }) => factId === id);
    if (ours.length !== 1) world.ledger.fail(`${fact?.kind} of ${fact?.alertId} became ${ours.length} messages`);
    for (const delivery of ours)
      if (!world.ledger.wasNotified(delivery)) world.ledger.fail(`${delivery.id} was not sent`);
  }
}

/** The roll-up counts each stored row once. */
function requireCounted({ database: { rows }, ledger }: World): void {
  const counted = [...rows.tallies.values()].reduce((sum, count) => sum + count, 0);
  const stored = [...rows.results.values()].filter(({ kind, attempt }) => kind === 'scheduled' && attempt === 1);
  if (counted !== stored.length) ledger.fail(`${counted} results are counted, ${stored.length} are stored`);
}

/** The history of each monitor is what its stored results say. */
function requireHistory(world: World): void {
  const { rows } = world.database;
  // The clock of an agent that slept is behind by as long until it is measured again.
  const sleeps = world.scenario.faults.filter(({ kind }) => kind === 'sleep');
  const longestSleep = Math.max(0, ...sleeps.map(({ forMs }) => forMs));
  for (const monitorId of rows.changes.keys()) {
    const changes = rows.changes.get(monitorId) ?? [];
    const replayed = historyOf(rows, monitorId, world.database.now());
    const apartMs = longestDisagreement(changes, replayed, world.time.now);
    if (apartMs <= Math.max(toleranceOf(rows, monitorId), longestSleep + disorderMs)) continue;
    const both = [changes, replayed].map(list => `\n  ${textOf(world, list)}`).join('');
    world.ledger.fail(`for ${apartMs} ms the history of ${monitorId} is not what its results say:${both}`);
  }
}

function toleranceOf(rows: Rows, monitorId: string): number {
  return isSetBack(rows, monitorId) ? setBackToleranceMs : toleranceMs;
}

/** Whether an agent's clock went back between two checks of a monitor. */
function isSetBack(rows: Rows, monitorId: string): boolean {
  const ours = [...rows.results.values()].filter(result => result.monitor_id === monitorId);
  return [...Map.groupBy(ours, ({ agentId }) => agentId).values()].some(results => {
    const inOrder = results.toSorted((left, right) => left.seq - right.seq);
    return inOrder.some((result, index) => result.completed_at + 500 < (inOrder[index - 1]?.completed_at ?? 0));
  });
}

/** For how long at a stretch two histories differ at most. Pending counts as undetermined, as for the uptime. */
function longestDisagreement(one: readonly VerdictChange[], other: readonly VerdictChange[], untilMs: number): number {
  const at = (rows: readonly VerdictChange[], ms: number) =>
    countedAs(rows.findLast(({ since }) => since <= ms)?.verdict);
  const instants = [...new Set([...one, ...other].map(({ since }) => since))].sort((left, right) => left - right);
  let [longest, since] = [0, null as number | null];
  for (const instant of [...instants, untilMs]) {
    if (since !== null) longest = Math.max(longest, instant - since);
    const agree = at(one, instant) === at(other, instant);
    since = agree ? null : (since ?? instant);
  }
  return longest;
}

function countedAs(verdict: VerdictChange['verdict'] | undefined): VerdictChange['verdict'] | undefined {
  return verdict === 'pending' ? 'undetermined' : verdict;
}
