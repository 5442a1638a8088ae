import type { Sql } from '../../platform/db/sql.ts';
import type { Accepted } from '../checks/intake/prepare.ts';
import { binOf } from '../checks/roll-up/latency-bins.ts';
import { insertOutputs } from '../checks/storage/output-store.ts';
import { attendedSince, type Gap, gapsOf } from '../monitors/heartbeats/away.ts';
import { deadlineOf, type Reading, readSignal } from '../monitors/heartbeats/beat.ts';
import { waitOf } from '../monitors/heartbeats/configure.ts';
import { listAttendance, readBeats, type StoredBeat, writeBeats } from '../monitors/heartbeats/store.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { withRun } from './run-length.ts';

/** A run is a latency for so long. */
const runMaxMs = 86_400_000;

/**
 * Takes what signals of locked states say: what is expected next, the runs they end, and whether they vote. They are
 * about to be stored, with the time of their run.
 */
export async function followSignals(
  sql: Sql,
  states: readonly MonitorState[],
  accepted: readonly Accepted[],
): Promise<readonly Accepted[]> {
  const signals = accepted.filter(({ result }) => result.kind === 'signal');
  if (signals.length === 0) return accepted;
  const beats = await readBeats(sql, [...new Set(signals.map(({ result }) => result.monitor_id))]);
  const judged = new Set(states.filter(({ rules }) => rules.enabled && !rules.deleted).map(state => state.monitorId));
  const gaps = await gapsForStarts(sql, signals, beats);
  const changed = new Set<string>();
  const followed = new Map<Accepted, Accepted>();
  for (const item of signals.toSorted((left, right) => left.result.scheduled_at - right.result.scheduled_at)) {
    const { monitor_id: id, scheduled_at: at, facts } = item.result;
    const stored = beats.get(id);
    const signal = facts?.signal;
    if (stored === undefined || signal === undefined || !judged.has(id)) {
      followed.set(item, { ...item, cast: 'none' });
      continue;
    }
    const reading = readSignal(stored.beat, stored.timing, { type: signal.type, at, rid: signal.rid }, gaps);
    beats.set(id, { ...stored, beat: reading.beat });
    changed.add(id);
    followed.set(item, withRun(withReading(item, signal, reading), stored.assertions));
  }
  await writeBeats(
    sql,
    [...changed].sort().flatMap(id => {
      const stored = beats.get(id);
      return stored === undefined
        ? []
        : [{ monitorId: id, beat: stored.beat, dueAt: waitOf(stored.beat, stored.timing).at }];
    }),
  );
  await insertOutputs(
    sql,
    signals.flatMap(({ result, version }) => {
      const { monitor_id: monitorId, scheduled_at: at, attempt, sealed_output: output } = result;
      if (output === undefined) return [];
      return [{ monitorId, at, attempt, projectId: version.projectId, sealed: Buffer.from(output, 'base64') }];
    }),
  );
  return accepted.map(item => followed.get(item) ?? item);
}

/** A start is also in time before a deadline that stood still while nobody took signals. Few come after the usual. */
async function gapsForStarts(
  sql: Sql,
  signals: readonly Accepted[],
  beats: ReadonlyMap<string, StoredBeat>,
): Promise<readonly Gap[]> {
  const late = signals.flatMap(({ result: { monitor_id: id, scheduled_at: at, facts } }) => {
    const stored = beats.get(id);
    if (stored === undefined || facts?.signal?.type !== 'start' || stored.timing.maxRunSeconds === null) return [];
    const deadline = deadlineOf(stored.beat, stored.timing, []);
    return deadline !== null && deadline < at ? [{ at, since: stored.beat.lastSuccessAt ?? at }] : [];
  });
  if (late.length === 0) return [];
  const untilMs = Math.max(...late.map(one => one.at));
  const since = attendedSince(Math.min(...late.map(one => one.since)), untilMs);
  return gapsOf(await listAttendance(sql, since), since, untilMs);
}

function withReading(
  item: Accepted,
  signal: NonNullable<NonNullable<Accepted['result']['facts']>['signal']>,
  { says, runMs }: Reading,
): Accepted {
  const cast = says === null ? 'none' : says === 'late' ? 'late' : 'now';
  if (runMs === null) return { ...item, cast };
  const latency = item.result.latency_ms ?? (runMs <= runMaxMs ? runMs : null);
  const bin = item.result.status === 'err' || latency === null ? null : binOf(latency);
  const facts = { ...item.result.facts, signal: { ...signal, run_seconds: runMs / 1000 } };
  return { ...item, cast, result: { ...item.result, latency_ms: latency, bin, facts } };
}
