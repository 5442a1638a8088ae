import type { Plot } from '../../../kit/plot/plot-scale.ts';
import type { PingFigures } from '../../../session/api-types.ts';
import type { Shown } from './stretches.ts';

/** What pings of a region came to over the shown time. Loss in percent. */
export type PingRow = {
  region: string;
  sent: number;
  received: number;
  worstLoss: number;
  jitter: number | null;
  worstJitter: number | null;
};

/**
 * Packet loss and jitter of each region over all of the shown time; a bucket without packets is a gap, if each bucket
 * should have some.
 */
export function pingPlots(
  { data, bucket_seconds }: Pick<PingFigures, 'data' | 'bucket_seconds'>,
  intervalSeconds: number,
  { fromMs, toMs }: Shown,
): { loss: Plot; jitter: Plot } {
  const [first, last] = [fromMs, toMs].map(ms => Math.floor(ms / 1000 / bucket_seconds)) as [number, number];
  const times = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * bucket_seconds);
  const regions = [...new Set(data.map(({ region }) => region))].sort();
  const byKey = new Map(data.map(found => [`${Date.parse(found.bucket) / 1000} ${found.region}`, found]));
  const lines = (figureOf: (found: PingFigures['data'][number]) => number | null) =>
    regions.map(region => ({
      label: region,
      values: times.map(time => {
        const found = byKey.get(`${time} ${region}`);
        return found === undefined ? null : figureOf(found);
      }),
    }));
  const joined = bucket_seconds < 2 * intervalSeconds;
  return {
    loss: { times, lines: lines(lossOf), joined, unit: 'percent' },
    jitter: { times, lines: lines(({ jitter_ms: ms }) => (ms === null ? null : round(ms))), joined },
  };
}

/** A row for each region, by name. Jitter is weighted by the replies of each bucket. */
export function pingRows(data: PingFigures['data']): PingRow[] {
  return [...Map.groupBy(data, ({ region }) => region)]
    .map(([region, found]) => {
      const jitters = found.flatMap(({ jitter_ms, received }) => (jitter_ms === null ? [] : { jitter_ms, received }));
      const replies = sum(jitters.map(({ received }) => received));
      const weighted = sum(jitters.map(({ jitter_ms, received }) => jitter_ms * received));
      return {
        region,
        sent: sum(found.map(({ sent }) => sent)),
        received: sum(found.map(({ received }) => received)),
        worstLoss: Math.max(...found.map(lossOf)),
        jitter: replies === 0 ? null : round(weighted / replies),
        worstJitter: replies === 0 ? null : round(Math.max(...jitters.map(({ jitter_ms }) => jitter_ms))),
      };
    })
    .sort((left, right) => left.region.localeCompare(right.region));
}

/** Percent of the packets without a reply, to a tenth; one that was lost is never none. */
export function lossOf({ sent, received }: { sent: number; received: number }): number {
  const percent = sent === 0 ? 0 : ((sent - received) / sent) * 100;
  return percent > 0 && percent < 0.1 ? 0.1 : Math.round(percent * 10) / 10;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
