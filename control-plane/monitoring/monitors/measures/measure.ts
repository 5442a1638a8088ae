import type { NoOpinion } from '#shared/check-result.ts';
import { dayMs, secondMs } from '#shared/duration.ts';
import { isTimeout } from '../../../platform/db/errors.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Gap, gapsOf } from '../heartbeats/away.ts';
import { listAttendance } from '../heartbeats/store.ts';
import type { WholeEvents } from '../kinds/events.ts';
import { type Measured, measuredOf } from './judge.ts';
import type { Counted, Meter } from './meter.ts';

/** Whose events are counted, in windows that end at `atMs`. */
export type Subject = { projectId: string; own: WholeEvents; atMs: number };

const weekMs = 7 * dayMs;
/** Of attendance that is kept. */
const knownMs = 31 * dayMs;

/** The last instant of which all late events had been waited for at `untilMs`. */
export function instantBefore(untilMs: number, intervalMs: number, { settle_seconds }: WholeEvents): number {
  return Math.floor((untilMs - settle_seconds * secondMs) / intervalMs) * intervalMs;
}

/** What the windows of an instant came to. `transact` runs in a transaction of its own, which may fail. */
export async function measureAt(
  transact: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>,
  meter: Meter,
  { projectId, own, atMs }: Subject,
  nowMs: number,
): Promise<Measured> {
  const count = async (untilMs: number): Promise<Counted | NoOpinion> => {
    const work = async (sql: Sql) => {
      const gaps = await readGaps(sql, nowMs);
      if (wasAway(gaps, own, untilMs)) return 'not_kept';
      return meter.count(sql, { projectId, own, untilMs, nowMs });
    };
    return transact(work).catch(error => {
      if (isTimeout(error)) return 'too_large';
      throw error;
    });
  };
  const now = await count(atMs);
  const before = own.against === null ? null : await count(atMs - weekMs);
  return measuredOf(own, now, before);
}

/** Times in which no front took events, since the first of which something is known. */
async function readGaps(sql: Sql, nowMs: number): Promise<Gap[]> {
  const rows = await listAttendance(sql, nowMs - knownMs);
  const since = Math.min(nowMs, ...rows.map(({ startedAt }) => startedAt));
  return gapsOf(rows, since, nowMs);
}

/** Pure: whether nobody took events for more than a tenth of a window, until late ones had been waited for. */
export function wasAway(
  gaps: readonly Gap[],
  own: Pick<WholeEvents, 'window_seconds' | 'within_seconds' | 'settle_seconds'>,
  untilMs: number,
): boolean {
  const windowMs = own.window_seconds * secondMs;
  const fromMs = untilMs - windowMs - (own.within_seconds ?? 0) * secondMs;
  const toMs = untilMs + own.settle_seconds * secondMs;
  const awayMs = gaps.reduce(
    (sum, { from, until }) => sum + Math.max(0, Math.min(until, toMs) - Math.max(from, fromMs)),
    0,
  );
  return awayMs > windowMs / 10;
}
