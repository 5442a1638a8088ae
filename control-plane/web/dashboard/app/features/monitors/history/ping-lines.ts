import type { Plot } from '../../../kit/plot/plot-scale.ts';
import type { PingFigures } from '../../../session/api-types.ts';

/** What pings of a region came to over the shown time. Loss in percent. */
export type PingRow = {
  region: string;
  sent: number;
  received: number;
  worstLoss: number;
  jitter: number | null;
  worstJitter: number | null;
};

/** Packet loss and jitter of each region; a bucket without packets is a gap, if each bucket should have some. */
export function pingPlots(
  { data, bucket_seconds }: Pick<PingFigures, 'data' | 'bucket_seconds'>,
  intervalSeconds: number,
): { loss: Plot; jitter: Plot } {
  const bounds = data.map(({ bucket }) => Date.parse(bucket) / 1000);
  const [first, last] = [bounds[0] ?? 0, bounds.at(-1) ?? 0];
  const count = data.length === 0 ? 0 : Math.round((last - first) / bucket_seconds) + 1;
  const times = Array.from({ length: count }, (_, index) => first + index * bucket_seconds);
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

/** A row for each region, by name. */
export function pingRows(data: PingFigures['data']): PingRow[] {
  return [...Map.groupBy(data, ({ region }) => region)]
    .map(([region, found]) => {
      const jitters = found.flatMap(({ jitter_ms }) => jitter_ms ?? []);
      const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
      return {
        region,
        sent: sum(found.map(({ sent }) => sent)),
        received: sum(found.map(({ received }) => received)),
        worstLoss: Math.max(...found.map(lossOf)),
        jitter: jitters.length === 0 ? null : round(sum(jitters) / jitters.length),
        worstJitter: jitters.length === 0 ? null : round(Math.max(...jitters)),
      };
    })
    .sort((left, right) => left.region.localeCompare(right.region));
}

/** Percent of the packets without a reply, to a tenth; one that was lost is never none. */
export function lossOf({ sent, received }: { sent: number; received: number }): number {
  const percent = sent === 0 ? 0 : ((sent - received) / sent) * 100;
  return percent > 0 && percent < 0.1 ? 0.1 : Math.round(percent * 10) / 10;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
