import type { Sql } from '../../../platform/db/sql.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { StoredMonitor } from '../../monitors/row.ts';
import { longestWarmUpMs } from '../../verdicts/history.ts';
import type { Past } from '../../verdicts/history-event.ts';
import { listChanges, type StoredVersion } from '../../verdicts/store.ts';
import type { VerdictChange } from '../../verdicts/timeline.ts';
import { listClockRows } from '../clock-store.ts';
import { noHistory, putClockRow } from '../clocks.ts';
import type { ReplayedAlert, ReplayStart } from './replay.ts';
import { findVoteUntil, listAlertsAt, listRules } from './store.ts';

/** How far back votes are collected. What a heartbeat said last holds without end. */
export async function findStart(
  sql: Sql,
  { id, settings }: Pick<StoredMonitor, 'id' | 'settings'>,
  versions: readonly StoredVersion[],
  from: number,
): Promise<number> {
  if (settings.kind !== 'heartbeat') return from - longestWarmUpMs(versions);
  return ((await findVoteUntil(sql, id, from)) ?? from) - 1;
}

/** What a replay of votes starts with. Throws `not_found`. */
export function standingAt(versions: readonly StoredVersion[], atMs: number): ReplayStart['standing'] {
  const version = versions.findLast(({ at }) => at <= atMs) ?? versions[0];
  if (version === undefined) throw new Problem('not_found');
  const since = versions.findLast(({ at, resetsStart }) => at <= atMs && resetsStart)?.at ?? version.at;
  return { rules: version.rules, verdict: 'undetermined', since, earliestStart: since, votes: {} };
}

/** What held at the start of the range. */
export async function readStart(
  sql: Sql,
  monitorId: string,
  versions: readonly StoredVersion[],
  faults: Past['faults'],
  start: number,
  from: number,
): Promise<ReplayStart> {
  const [inForce = null] = await listChanges(sql, monitorId, from, from + 1);
  const known = await listAlertsAt(sql, monitorId, from);
  const isOpen = (alert: ReplayedAlert) => alert.resolved_at === null || alert.resolved_at > from;
  const open = known.filter(isOpen);
  const down = open.find(({ kind }) => kind === 'down');
  const last = known.find(alert => alert.kind === 'down' && !isOpen(alert));
  const degraded = open.find(({ kind }) => kind === 'degraded');
  const rows = await listClockRows(sql, monitorId, from);
  const opened = Math.max(
    ...known.filter(({ kind }) => kind === 'down').map(alert => alert.opened_at),
    noHistory.degradedFrom,
  );
  const history = { ...rows.reduce(putClockRow, { ...noHistory, degradedFrom: opened }), at: from };
  return {
    standing: standingAt(versions, start),
    quarantined: new Set(faults.filter(fault => fault.since <= start).map(fault => fault.region)),
    alerts: {
      history,
      memory: {
        down: down === undefined ? null : { startedAt: down.started_at, flappingSince: down.flapping_since },
        degraded: degraded === undefined ? null : { startedAt: degraded.started_at },
        lastDown:
          last === undefined || last.resolved_at === null
            ? null
            : { startedAt: last.started_at, resolvedAt: last.resolved_at, flappingSince: last.flapping_since },
      },
    },
    open: open.map(({ kind, started_at, opened_at }) => ({ kind, started_at, opened_at, resolved_at: null })),
    rules: await listRules(sql, monitorId, from),
    fromMs: from,
    inForce: inForce !== null && inForce.since <= from ? inForce : null,
  };
}

/**
 * The history after the row in force, as far as it was known at the end. Results are judged in the order in which they
 * arrive, which is not stored and may differ by a second from that of their instants: where verdicts stay as they were,
 * what was judged live is right.
 */
export async function readRows(
  sql: Sql,
  monitorId: string,
  inForce: VerdictChange | null,
  from: number,
  to: number,
): Promise<VerdictChange[]> {
  const rows = await listChanges(sql, monitorId, from, to);
  const begins = inForce?.since ?? Number.NEGATIVE_INFINITY;
  return rows.filter(row => row.since > begins && (row.decision?.at ?? row.since) <= to);
}
