import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import { countedVotes, type VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import { verdictOf } from '#control-plane/monitoring/verdicts/verdict.ts';
import { alertsOf } from './alerting.ts';
import type { World } from './world.ts';

/** What holds after every commit, looked at for the monitors that it changed. */
export function commitInvariants(): (world: World) => void {
  const seen = new Map<string, { state: unknown; changes: unknown }>();
  return world => {
    const { rows } = world.database;
    for (const state of rows.states.values()) {
      const { monitorId } = state;
      const changes = rows.changes.get(monitorId);
      const before = seen.get(monitorId);
      if (before?.state === state && before.changes === changes) continue;
      seen.set(monitorId, { state, changes });
      if (changes !== before?.changes)
        world.note(() => `monitor ${monitorId.slice(-1)}: ${textOf(world, changes ?? [])}`);
      const broken = brokenOf(world, state);
      if (broken !== null) world.ledger.fail(`${monitorId}: ${broken}`);
    }
  };
}

function brokenOf(world: World, state: MonitorState): string | null {
  const { rows } = world.database;
  const { monitorId, rules, verdict, since } = state;
  const changes = rows.changes.get(monitorId) ?? [];
  const last = changes.at(-1);
  if (last?.verdict !== verdict || last.since !== since)
    return `state ${verdict}@${since} is not the last row ${last?.verdict}@${last?.since}`;
  for (const [index, row] of changes.entries()) {
    const next = changes[index + 1];
    if (next !== undefined && next.since <= row.since) return `row ${row.since} is followed by ${next.since}`;
    if (next?.verdict === row.verdict) return `two rows in a row are ${row.verdict}`;
  }
  const configured = rows.monitors.get(monitorId)?.versions.at(-1)?.stored.rules;
  if (configured?.quorum !== rules.quorum) return `quorum ${rules.quorum} instead of ${configured?.quorum}`;
  const counted = verdictOf(Object.values(countedVotes(state, rows.judgedUnder.get(monitorId))), rules.quorum);
  const isFirst = verdict === 'pending' && counted === 'undetermined';
  if (rules.enabled && counted !== verdict && !isFirst) return `${verdict}, but the votes say ${counted}`;
  return brokenAlert(world, monitorId);
}

function brokenAlert({ database: { rows } }: World, monitorId: string): string | null {
  const open = alertsOf(rows, monitorId).filter(({ resolvedAt }) => resolvedAt === null);
  for (const [kind, ofKind] of Map.groupBy(open, alert => alert.kind))
    if (ofKind.length > 1) return `${ofKind.length} alerts of kind ${kind} are unresolved`;
  const alert = open.find(({ kind }) => kind === 'down');
  // Results that came later may say that there was no outage; the alert stays until the monitor is up.
  if (alert === undefined || alert.reopenedAt !== null || alert.isOrphan) return null;
  const downs = (rows.changes.get(monitorId) ?? []).filter(row => row.verdict === 'down');
  return downs.some(row => row.since === alert.startedAt)
    ? null
    : `the alert starts at ${alert.startedAt}, where no down row does`;
}

/** A history as text, in seconds from the start. */
export function textOf({ startMs }: World, rows: readonly VerdictChange[]): string {
  return rows.map(({ verdict, since }) => `${verdict}@${(since - startMs) / 1000}`).join(' ');
}
