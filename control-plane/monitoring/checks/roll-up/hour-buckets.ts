import { type CheckKind, type CheckStatus, countedAttemptMax, type StoredFailureSource } from '#shared/check-result.ts';
import { hourMs } from '#shared/duration.ts';
import { binCount } from './latency-bins.ts';

/** What the hours need of a result. `bin` is null if its latency does not count. */
export type CountedResult = {
  monitor_id: string;
  region: string;
  kind: CheckKind;
  attempt: number;
  scheduled_at: number;
  status: CheckStatus;
  failure_source: StoredFailureSource | null;
  latency_ms: number | null;
  bin: number | null;
};

/**
 * What a batch adds to a row of the hourly roll-up. `bins` is null if that is one result; its bin is `bin`, null if its
 * latency does not count.
 */
export type HourBucket = {
  monitorId: string;
  region: string;
  hour: number;
  ok: number;
  warn: number;
  err: number;
  latencySum: number;
  latencyMax: number;
  bin: number | null;
  bins: number[] | null;
};

/**
 * Only first attempts of scheduled checks are rolled up, and what signals and lookups say of their target. A fault
 * of the agent or of its resolver says nothing of the target.
 */
export function isCounted(result: Pick<CountedResult, 'kind' | 'attempt' | 'failure_source'>): boolean {
  const { kind, attempt, failure_source: source } = result;
  if (source !== null && source !== 'target') return false;
  if (kind === 'signal' || kind === 'lookup') return attempt <= countedAttemptMax;
  return kind === 'missed' || kind === 'evaluated' || (kind === 'scheduled' && attempt === 1);
}

/** Pure: the rows that results are counted in, by their first results. Latencies are added as PostgreSQL adds them. */
export function hourBuckets(results: readonly CountedResult[]): HourBucket[] {
  const buckets = new Map<string, HourBucket>();
  for (const result of results) {
    const hour = Math.floor(result.scheduled_at / hourMs) * hourMs;
    const key = `${result.monitor_id} ${result.region} ${hour}`;
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, bucketOf(result, hour));
    else add(bucket, result);
  }
  return [...buckets.values()];
}

function bucketOf(result: CountedResult, hour: number): HourBucket {
  const latency = latencyOf(result);
  return {
    monitorId: result.monitor_id,
    region: result.region,
    hour,
    ok: result.status === 'ok' ? 1 : 0,
    warn: result.status === 'warn' ? 1 : 0,
    err: result.status === 'err' ? 1 : 0,
    latencySum: latency,
    latencyMax: latency,
    bin: result.bin,
    bins: null,
  };
}

function add(bucket: HourBucket, result: CountedResult): void {
  const latency = latencyOf(result);
  bucket[result.status] += 1;
  bucket.latencySum = Math.fround(bucket.latencySum + latency);
  bucket.latencyMax = Math.max(bucket.latencyMax, latency);
  bucket.bins ??= Array.from({ length: binCount }, (_, bin) => (bin === bucket.bin ? 1 : 0));
  if (result.bin !== null) bucket.bins[result.bin] = (bucket.bins[result.bin] ?? 0) + 1;
}

/** Of single precision, as it is stored; 0 if it does not count. */
export function latencyOf({ bin, latency_ms }: CountedResult): number {
  return bin === null || latency_ms === null ? 0 : Math.fround(latency_ms);
}
