import { type Bucket, retryAfterSeconds, tolerance } from '#shared/fairness/token-bucket.ts';
import type { StoredBucket } from '../../platform/project-limits/bucket-store.ts';
import { eventBytesKey, pageBytesKey } from '../../platform/project-limits/quota.ts';
import { limits, type Source } from './event.ts';

/** A project's limits, as its row has them. */
export type IngestLimits = {
  sustained_per_second: number;
  burst_per_second: number;
  burst_seconds: number;
  event_bytes_per_day: number;
};

/** A bucket of events, and what a request takes from it. */
export type IngestBucket = StoredBucket;

/** What a request is charged for: its valid events and their bytes. */
export type Load = { events: number; bytes: number };

/** Who is charged. */
export type Charged = { projectId: string; source: Source; address: string; nowMs: number };

const addressPerSecond = 50;
const addressCapacity = limits.browserBatch;
const bytesPerToken = 1024;
/** Pages together may use this part of the project's limits, so that they cannot starve the servers. */
const pagesShare = 0.5;

/**
 * Tokens of a request: one per event, or per KiB if that is more. No more than for the largest batch, for which each
 * bucket has room: so every request is granted some time.
 */
export function tokensOf({ events, bytes }: Load, source: Source): number {
  const largest = source === 'server' ? limits.batch : limits.browserBatch;
  return Math.min(largest, Math.max(events, Math.ceil(bytes / bytesPerToken)));
}

/** What a page's request takes before its body is read, from the bucket of its address. */
export function requestBucket(address: string): IngestBucket {
  return { ...addressBucket(address), amount: 1, floor: 0 };
}

/**
 * Every bucket that must grant a request: the project's two and its bytes of the day; for a page also its address's, of
 * which one token is taken already, and those that pages share at half the project's limits.
 */
export function bucketsOf(charged: Charged, load: Load, project: IngestLimits): IngestBucket[] {
  const { projectId, source, address, nowMs } = charged;
  const amount = tokensOf(load, source);
  const whole = [
    ...twoBuckets(`project ${projectId}`, project, 1).map(bucket => ({ ...bucket, amount, floor: 0 })),
    bytesOfDay(eventBytesKey(projectId, nowMs), load, project.event_bytes_per_day),
  ];
  if (source === 'server') return whole;
  return [
    { ...addressBucket(address), amount: amount - 1, floor: 0 },
    ...twoBuckets(`pages ${projectId}`, project, pagesShare).map(bucket => ({ ...bucket, amount, floor: 0 })),
    bytesOfDay(pageBytesKey(projectId, nowMs), load, project.event_bytes_per_day * pagesShare),
    ...whole,
  ];
}

/** Why a charge is refused: `quota` if the bytes of the day are used up, and the whole seconds to wait. */
export type Refusal = { reason: 'rate' | 'quota'; retryAfter: number | null };

/** The refusal at these levels; null if every bucket grants. */
export function refusalOf(buckets: readonly IngestBucket[], levels: ReadonlyMap<string, number>): Refusal | null {
  const lacking = buckets.flatMap(bucket => {
    const tokens = (levels.get(bucket.key) ?? bucket.capacity) - bucket.floor;
    return tokens < bucket.amount - tolerance ? [{ ...bucket, tokens }] : [];
  });
  if (lacking.length === 0) return null;
  if (lacking.some(({ capacity }) => capacity === 0)) return { reason: 'quota', retryAfter: null };
  const seconds = lacking.map(bucket => retryAfterSeconds([bucket], bucket.amount) ?? 1);
  return { reason: 'rate', retryAfter: Math.max(...seconds) };
}

function addressBucket(address: string): Bucket & { key: string } {
  return { key: `address ${address}`, capacity: addressCapacity, perSecond: addressPerSecond };
}

function bytesOfDay(key: string, { bytes }: Load, maximum: number): IngestBucket {
  return { key, capacity: 0, perSecond: 0, amount: bytes, floor: -maximum };
}

function twoBuckets(key: string, project: IngestLimits, share: number): (Bucket & { key: string })[] {
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
