import { setImmediate } from 'node:timers/promises';
import type { Sql } from '../../../platform/db/sql.ts';
import { attendedSince, gapsOf, heardUntil } from '../../monitors/heartbeats/away.ts';
import { type BeatEvent, BeatReplay, type BeatVote } from '../../monitors/heartbeats/replay.ts';
import { listAttendance } from '../../monitors/heartbeats/store.ts';
import { timingAfter } from '../../monitors/heartbeats/timing.ts';
import type { MonitorPatch } from '../../monitors/monitor.ts';
import type { StoredMonitor } from '../../monitors/row.ts';
import type { StoredObservation, StoredVersion } from '../../verdicts/store.ts';
import { assertionChange, judgeAnswers } from './assertions.ts';
import { type Beginning, isJudgedBy } from './beginning.ts';
import type { ReadSlice } from './read.ts';
import { listSignals, type StoredSignal } from './store.ts';

const signalsAtOnce = 5000;
/** Some 25 ms of work, if each is of another day of a cron expression: then the process turns to what waits. */
const signalsInTurn = 50;

/** The votes of a part of the range, (start, end]. */
type Slice = ReadSlice & { start: number };

/**
 * What stored signals and their absence would have said by the times that are asked for, which hold over the whole
 * range. Time without a front stops the deadlines as it did.
 */
export async function* readSignals(
  sql: Sql,
  { id, settings, configVersion }: StoredMonitor,
  changes: MonitorPatch,
  versions: readonly StoredVersion[],
  { start, seed }: Beginning,
  { to, nowMs }: { to: number; nowMs: number },
): AsyncGenerator<Slice> {
  const since = attendedSince(start, nowMs);
  const fronts = await listAttendance(sql, since);
  const gaps = gapsOf(fronts, since, to);
  const untilMs = Math.min(to, heardUntil(fronts, nowMs));
  const replay = new BeatReplay<StoredObservation>(timingAfter(settings, changes), gaps, isJudgedAt(versions, start));
  const { assertions: asked } = changes;
  const change = asked === undefined ? null : assertionChange('heartbeat', settings.assertions, asked);
  let from = start;
  let after = { at: start, attempt: 0 };
  for (let isLast = false; !isLast; ) {
    const found = await listSignals(sql, id, { after, untilMs: to }, signalsAtOnce);
    const signals = [...(from === start ? seed : []), ...found];
    const last = found.at(-1);
    isLast = last === undefined || found.length < signalsAtOnce;
    const end = isLast ? to : (last?.scheduled_at ?? to);
    const judged = change === null ? signals : judgeAnswers(signals, change, configVersion, [], () => null, null);
    const votes: BeatVote<StoredObservation>[] = [];
    const events = eventsIn(judged, versions, from, end);
    for (let index = 0; index < events.length; index += signalsInTurn) {
      votes.push(...replay.apply(events.slice(index, index + signalsInTurn)));
      await setImmediate();
    }
    if (isLast) votes.push(...replay.advance(untilMs));
    yield { start: from, end, before: [], after: votes.map(vote => observationOf(vote, versions)) };
    from = end;
    if (last !== undefined) after = { at: last.scheduled_at, attempt: last.attempt };
  }
}

/** Signals and the versions of (fromMs, untilMs], in order; at the same instant versions come first. */
function eventsIn(
  signals: readonly StoredSignal[],
  versions: readonly StoredVersion[],
  fromMs: number,
  untilMs: number,
): BeatEvent<StoredObservation>[] {
  const changes = versions.flatMap((version, index): BeatEvent<StoredObservation>[] => {
    if (version.at <= fromMs || version.at > untilMs) return [];
    const [isJudged, before] = [isJudgedBy(version), versions[index - 1]];
    const restarts = before === undefined || isJudged !== isJudgedBy(before);
    return [{ type: 'version', at: version.at, isJudged, restarts }];
  });
  const heard = signals.flatMap((of): BeatEvent<StoredObservation>[] => {
    const { scheduled_at: at, detail } = of;
    const signal = detail.facts?.signal;
    return signal === undefined ? [] : [{ type: 'signal', at, signal: { type: signal.type, at, rid: signal.rid }, of }];
  });
  return [...changes, ...heard].sort((left, right) => left.at - right.at);
}

function observationOf(vote: BeatVote<StoredObservation>, versions: readonly StoredVersion[]): StoredObservation {
  if (vote.type === 'signal') return vote.of;
  const at = Math.floor(vote.deadline);
  const version = versions.findLast(one => one.at <= at) ?? versions[0];
  return {
    region: 'heartbeat',
    status: 'err',
    failure_source: 'target',
    attempt: 1,
    started_at: at,
    completed_at: at,
    received_at: at,
    config_version: version?.rules.configVersion ?? 0,
  };
}

function isJudgedAt(versions: readonly StoredVersion[], atMs: number): boolean {
  const version = versions.findLast(({ at }) => at <= atMs);
  return version !== undefined && isJudgedBy(version);
}
