import { hourMs } from '#shared/duration.ts';
import type { MonitorState } from '../../monitors/state/state.ts';
import { type CountedResult, type HourBucket, hourBuckets, latencyOf } from './hour-buckets.ts';
import { binCount, binMax } from './latency-bins.ts';

// The newest hour of a monitor’s results is a text in the row that judging writes anyway, and moves to the hourly
// roll-up when a later hour begins: a second row written for each result would take the database as long again.
//
//   494184;eu-west,57,1,0,2713450,81230,16:40,17:18;us-east,…
//
// is the hour since 1970, and for each region: ok, warn, err, sum and maximum of latencies in microseconds, and the
// bins of their histogram that are not empty, each with its count. A text is replaced fastest; most regions stay as
// they are.

/** What an hour or several regions of it add up to, with the counts of all bins. Latencies in milliseconds. */
export type HourSums = Pick<HourBucket, 'ok' | 'warn' | 'err' | 'latencySum' | 'latencyMax'> & { bins: number[] };

/** `hour` is its start, in milliseconds. */
export type CurrentHour = { hour: number; regions: ReadonlyMap<string, HourSums> };

/**
 * Pure: the states with the results counted in their current hours, and what goes to rows of the roll-up: hours that a
 * later one has ended, and results of hours before. No two buckets are of the same row.
 */
export function countInHours(
  states: readonly MonitorState[],
  results: readonly CountedResult[],
): { states: MonitorState[]; buckets: HourBucket[] } {
  const byMonitor = Map.groupBy(results, result => result.monitor_id);
  const ended: HourBucket[] = [];
  const earlier: CountedResult[] = [];
  const counted = states.map(state => {
    const own = byMonitor.get(state.monitorId);
    if (own === undefined) return state;
    let { currentHour } = state;
    // In order of time, so that no hour of these results ends before the last of them.
    for (const result of own.length === 1 ? own : own.toSorted(bySchedule)) {
      const number = Math.floor(result.scheduled_at / hourMs);
      const open = currentHour === null ? null : numberOf(currentHour);
      if (open !== null && number < open) {
        earlier.push(result);
        continue;
      }
      if (currentHour !== null && open !== number) ended.push(...bucketsOf(state.monitorId, currentHour));
      currentHour = withResult(currentHour !== null && open === number ? currentHour : String(number), result);
    }
    return currentHour === state.currentHour ? state : { ...state, currentHour };
  });
  return { states: counted, buckets: [...ended, ...hourBuckets(earlier)] };
}

/** Pure: the rows of the roll-up that a current hour becomes. */
export function bucketsOf(monitorId: string, text: string): HourBucket[] {
  const { hour, regions } = readCurrentHour(text);
  return [...regions].map(([region, sums]) => ({ monitorId, region, hour, ...sums, bin: null }));
}

/** Pure: a current hour as it is stored, read. */
export function readCurrentHour(text: string): CurrentHour {
  const [number, ...regions] = text.split(';');
  return {
    hour: Number(number) * hourMs,
    regions: new Map(
      regions.map(region => {
        const [name = '', ok, warn, err, sum, max, ...bins] = region.split(',');
        const all = new Array<number>(binCount).fill(0);
        for (const pair of bins) {
          const [bin, count] = pair.split(':');
          all[Number(bin)] = Math.min(binMax, Number(count));
        }
        const counts = { ok: Number(ok), warn: Number(warn), err: Number(err) };
        return [name, { ...counts, latencySum: Number(sum) / 1000, latencyMax: Number(max) / 1000, bins: all }];
      }),
    ),
  };
}

/** Pure: what the regions of a current hour add up to. */
export function sumRegions({ regions }: CurrentHour): HourSums {
  const total: HourSums = { ok: 0, warn: 0, err: 0, latencySum: 0, latencyMax: 0, bins: new Array(binCount).fill(0) };
  for (const sums of regions.values()) {
    for (const status of ['ok', 'warn', 'err'] as const) total[status] += sums[status];
    total.latencySum += sums.latencySum;
    total.latencyMax = Math.max(total.latencyMax, sums.latencyMax);
    total.bins = total.bins.map((count, bin) => count + (sums.bins[bin] ?? 0));
  }
  return total;
}

function numberOf(text: string): number {
  return Number(text.slice(0, text.indexOf(';')));
}

/** The text of an hour with one more result in it. Most of it is copied, not read: this runs for each result. */
function withResult(text: string, result: CountedResult): string {
  const { region, status, bin } = result;
  const start = text.indexOf(`;${region},`);
  if (start < 0) return withResult(`${text};${region},0,0,0,0,0`, result);
  const next = text.indexOf(';', start + 1);
  const end = next < 0 ? text.length : next;
  const ok = numberAt(text, start + region.length + 2);
  const warn = numberAt(text, ok.end + 1);
  const err = numberAt(text, warn.end + 1);
  const sum = numberAt(text, err.end + 1);
  const max = numberAt(text, sum.end + 1);
  const microseconds = Math.round(latencyOf(result) * 1000);
  const plusOne = (count: number, isOne: boolean) => (isOne ? count + 1 : count);
  const good = `${plusOne(ok.value, status === 'ok')},${plusOne(warn.value, status === 'warn')}`;
  const counts = `${good},${plusOne(err.value, status === 'err')}`;
  const latencies = `${sum.value + microseconds},${Math.max(max.value, microseconds)}`;
  const bins = withBin(text.slice(max.end, end), bin);
  return `${text.slice(0, start)};${region},${counts},${latencies}${bins}${text.slice(end)}`;
}

/** Bins as they are in a text, each behind a comma, with one more result. */
function withBin(bins: string, bin: number | null): string {
  if (bin === null) return bins;
  const start = bins.indexOf(`,${bin}:`);
  if (start < 0) return `${bins},${bin}:1`;
  const count = numberAt(bins, bins.indexOf(':', start) + 1);
  return `${bins.slice(0, start)},${bin}:${count.value + 1}${bins.slice(count.end)}`;
}

/** The whole number that starts at an index of a text, and where it ends. */
function numberAt(text: string, start: number): { value: number; end: number } {
  let value = 0;
  let end = start;
  for (; end < text.length; end++) {
    const digit = text.charCodeAt(end) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return { value, end };
}

function bySchedule(left: CountedResult, right: CountedResult): number {
  return left.scheduled_at - right.scheduled_at;
}
