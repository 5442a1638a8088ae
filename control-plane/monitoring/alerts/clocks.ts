import type { Verdict } from '#shared/vocabulary.ts';

/** A verdict from `since` on, until the next one. */
export type ClockRow = { verdict: Verdict; since: number };

/** Time that counted, and the start of the first row in it; null if none did. */
export type Clock = { ms: number; from: number | null };

/** How long a monitor was down, good (up or degraded), degraded and up, each since something else ended it. */
export type Clocks = { down: Clock; good: Clock; degraded: Clock; up: Clock };

/** The part of a monitor's history that its alerts depend on. Stored as JSON. */
export type ClockHistory = {
  /** Everything until this instant has been taken into account. */
  at: number;
  /** The clocks at the start of the first row. */
  base: Clocks;
  /** In order; the last one holds. */
  rows: readonly ClockRow[];
  /** Starts of the latest down rows, in order. */
  downs: readonly number[];
  /** The degraded clock counts from here: when the last alert of kind `down` opened. */
  degradedFrom: number;
};

const zero: Clock = { ms: 0, from: null };
const allZero: Clocks = { down: zero, good: zero, degraded: zero, up: zero };
const rowsMax = 64;
/** The most changes that a flap rule counts. */
const downsMax = 50;

export const noHistory: ClockHistory = {
  at: Number.MIN_SAFE_INTEGER,
  base: allZero,
  rows: [],
  downs: [],
  degradedFrom: Number.MIN_SAFE_INTEGER,
};

/** Pure: the history after a verdict row. It replaces rows with the same or a later start, as in the stored history. */
export function putClockRow(history: ClockHistory, row: ClockRow): ClockHistory {
  // Only a version that drops all votes makes these, and it stops and clears all clocks.
  if (row.verdict === 'pending' || row.verdict === 'paused') return { ...history, base: allZero, rows: [row] };
  const rows = history.rows.filter(({ since }) => since < row.since);
  const downs = history.downs.filter(since => since < row.since);
  if (rows.at(-1)?.verdict === row.verdict) return { ...history, rows, downs };
  if (row.verdict === 'down') downs.push(row.since);
  rows.push(row);
  if (rows.length <= rowsMax) return { ...history, rows, downs: downs.slice(-downsMax) };
  const folded = rows.splice(0, rowsMax / 2);
  const base = fold(history.base, folded, rows[0]?.since ?? row.since, history.degradedFrom);
  return { ...history, base, rows, downs: downs.slice(-downsMax) };
}

/** Pure: the history that the given rows make. `downOpenedAt`: when the last alert of kind `down` opened. */
export function historyOf(rows: readonly ClockRow[], downOpenedAt: number | null): ClockHistory {
  const start: ClockHistory = { ...noHistory, degradedFrom: downOpenedAt ?? noHistory.degradedFrom };
  const made = rows.reduce(putClockRow, start);
  return { ...made, at: Math.max(made.at, rows.at(-1)?.since ?? made.at) };
}

/** Pure: what the clocks read at an instant that is not before the last row. */
export function readClocks({ base, rows, degradedFrom }: ClockHistory, atMs: number): Clocks {
  return fold(base, rows, atMs, degradedFrom);
}

function fold(base: Clocks, rows: readonly ClockRow[], untilMs: number, degradedFrom: number): Clocks {
  let clocks = base;
  for (const [index, row] of rows.entries())
    clocks = run(clocks, row, Math.max(row.since, rows[index + 1]?.since ?? untilMs), degradedFrom);
  return clocks;
}

function run(clocks: Clocks, { verdict, since }: ClockRow, untilMs: number, degradedFrom: number): Clocks {
  switch (verdict) {
    case 'down':
      return { ...clocks, down: add(clocks.down, since, untilMs), good: zero, up: zero };
    case 'up':
      return {
        down: zero,
        good: add(clocks.good, since, untilMs),
        degraded: zero,
        up: add(clocks.up, since, untilMs),
      };
    case 'degraded': {
      const before = (clocks.degraded.from ?? degradedFrom) < degradedFrom ? zero : clocks.degraded;
      const isOver = untilMs <= degradedFrom;
      return {
        down: zero,
        good: add(clocks.good, since, untilMs),
        degraded: isOver ? zero : add(before, Math.max(since, degradedFrom), untilMs),
        up: zero,
      };
    }
    case 'undetermined':
    case 'pending':
    case 'paused':
    case 'deleted':
      return clocks;
    default:
      return verdict satisfies never;
  }
}

function add({ ms, from }: Clock, sinceMs: number, untilMs: number): Clock {
  return { ms: ms + Math.max(0, untilMs - sinceMs), from: from ?? sinceMs };
}
