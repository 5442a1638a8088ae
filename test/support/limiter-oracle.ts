import { type IngestBucket, type Refusal, refusalOf } from '#control-plane/analytics/events/limits.ts';

/** Tokens in one bucket at an instant. */
export type Level = { tokens: number; atMs: number };

/** The rule of the limiter as a pure function: the oracle for the SQL statement. A refusal takes nothing. */
export function decideCharge(
  buckets: readonly IngestBucket[],
  levels: ReadonlyMap<string, Level>,
  nowMs: number,
): { granted: true; levels: Map<string, Level> } | ({ granted: false } & Refusal) {
  const filled = buckets.map(bucket => ({ bucket, ...fill(bucket, levels.get(bucket.key), nowMs) }));
  const refusal = refusalOf(buckets, new Map(filled.map(({ bucket, tokens }) => [bucket.key, tokens])));
  if (refusal !== null) return { granted: false, ...refusal };
  const taken = filled.map(({ bucket, tokens, atMs }): [string, Level] => [
    bucket.key,
    { tokens: tokens - bucket.amount, atMs },
  ]);
  return { granted: true, levels: new Map([...levels, ...taken]) };
}

function fill(bucket: IngestBucket, level: Level | undefined, nowMs: number): Level {
  if (level === undefined) return { tokens: bucket.capacity, atMs: nowMs };
  const seconds = Math.max(0, nowMs - level.atMs) / 1000;
  return {
    tokens: Math.min(bucket.capacity, level.tokens + seconds * bucket.perSecond),
    atMs: Math.max(nowMs, level.atMs),
  };
}
