import { limits, type Source } from './event.ts';

/** A project's limits as its row holds them. */
export type IngestLimits = { sustained_per_second: number; burst_per_second: number; burst_seconds: number };

/** A bucket as the database keeps it: refilled steadily, never above its capacity. */
export type Bucket = { key: string; capacity: number; perSecond: number };

const addressPerSecond = 50;
const addressCapacity = limits.browserBatch;

/** What floating point may lose on the way; no event is that small. */
export const tolerance = 1e-6;

/**
 * Every bucket a request has to be granted by: the project's two; for a page also its address's, and half of the project's
 * two for all pages together, so that a page cannot starve the servers. None holds less than the largest batch.
 */
export function bucketsOf(projectId: string, source: Source, address: string, project: IngestLimits): Bucket[] {
  const whole = twoBuckets(`project ${projectId}`, project, 1);
  if (source === 'server') return whole;
  return [
    { key: `address ${address}`, capacity: addressCapacity, perSecond: addressPerSecond },
    ...twoBuckets(`pages ${projectId}`, project, 0.5),
    ...whole,
  ];
}

function twoBuckets(key: string, project: IngestLimits, share: number): Bucket[] {
  const { sustained_per_second: sustained, burst_per_second: burst, burst_seconds: seconds } = project;
  const largest = share === 1 ? limits.batch : limits.browserBatch;
  const depth = seconds * Math.max(0, burst - sustained) + 500;
  return [
    { key: `${key} sustained`, capacity: Math.max(largest, depth * share), perSecond: sustained * share },
    {
      key: `${key} peak`,
      capacity: Math.max(largest, Math.max(2 * burst, 1000) * share),
      perSecond: Math.max(burst, sustained) * share,
    },
  ];
}

/** What one bucket holds at an instant. */
export type Level = { tokens: number; atMs: number };

/** The whole rule as a pure function, which the statement of the database is held against: a refusal takes nothing. */
export function decideCharge(
  buckets: readonly Bucket[],
  levels: ReadonlyMap<string, Level>,
  count: number,
  nowMs: number,
): { granted: true; levels: Map<string, Level> } | { granted: false; retryAfter: number } {
  const filled = buckets.map(bucket => ({ bucket, ...fill(bucket, levels.get(bucket.key), nowMs) }));
  const retryAfter = retrySeconds(
    filled.map(({ bucket, tokens }) => ({ tokens, perSecond: bucket.perSecond })),
    count,
  );
  if (retryAfter !== null) return { granted: false, retryAfter };
  const taken = filled.map(({ bucket, tokens, atMs }): [string, Level] => [
    bucket.key,
    { tokens: tokens - count, atMs },
  ]);
  return { granted: true, levels: new Map([...levels, ...taken]) };
}

function fill(bucket: Bucket, level: Level | undefined, nowMs: number): Level {
  if (level === undefined) return { tokens: bucket.capacity, atMs: nowMs };
  const seconds = Math.max(0, nowMs - level.atMs) / 1000;
  return {
    tokens: Math.min(bucket.capacity, level.tokens + seconds * bucket.perSecond),
    atMs: Math.max(nowMs, level.atMs),
  };
}

/** Whole seconds, at least 1, after which the count gets in if nobody else comes; null when it does now. */
export function retrySeconds(levels: readonly { tokens: number; perSecond: number }[], count: number): number | null {
  const lacking = levels.filter(({ tokens }) => tokens < count - tolerance);
  if (lacking.length === 0) return null;
  const seconds = lacking.map(({ tokens, perSecond }) => (count - tokens) / perSecond - tolerance);
  return Math.max(1, Math.ceil(Math.max(...seconds)));
}
