import type { Thing } from './thing.ts';

/** Shortest intervals of kinds; of all others it is 10 seconds. */
const least: Readonly<Record<string, number>> = { ping: 20, heartbeat: 30, multistep: 30 };
const intervalMax = 86_400;
const timeoutMaxMs = 60_000;
const timeoutMinMs = 500;

/** The interval of a kind that is nearest to that of the source. */
export function intervalFor(thing: Thing, kind: string, seconds: number): number {
  const max = kind === 'heartbeat' ? 31_622_400 : intervalMax;
  const interval = Math.min(max, Math.max(least[kind] ?? 10, Math.round(seconds)));
  if (interval !== seconds)
    thing.changed('interval', seconds, interval, `${kind} is checked each ${least[kind] ?? 10} to ${max} seconds`);
  return interval;
}

/** A time limit that fits the interval, and for a ping one that fits the packets. */
export function timeoutFor(thing: Thing, kind: string, ms: number, intervalSeconds: number): number {
  const min = kind === 'ping' ? 1000 : timeoutMinMs;
  const timeout = Math.round(Math.min(timeoutMaxMs, intervalSeconds * 1000, Math.max(min, ms)));
  if (timeout !== ms)
    thing.changed('timeout', ms, timeout, `a check takes ${min} ms to its interval, at most a minute`);
  return timeout;
}

/** Packets of a ping that its time limit allows. */
export function packetsFor(timeoutMs: number): number {
  return Math.min(3, Math.max(1, Math.floor(timeoutMs / 1000)));
}

/** Seconds that a rule of alerts may take, of which a longer time is cut. */
export function atMost(thing: Thing, field: string, seconds: number, max: number): number {
  const cut = Math.min(max, Math.max(0, Math.round(seconds)));
  if (cut !== seconds) thing.changed(field, seconds, cut, `at most ${max} seconds`);
  return cut;
}
