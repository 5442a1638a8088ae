import { dayMs } from '#shared/duration.ts';
import type { Transact } from '../../platform/http/endpoint/endpoint.ts';
import type { Bucket } from './buckets.ts';
import type { RawQuery } from './raw-store.ts';
import { boundsOf, type Series } from './series.ts';
import { Tally } from './tally.ts';
import { findFrequent, listByValue } from './value-store.ts';

const valuesMax = 20;
/** So many values, and users, are in memory until it is known which values have the most events. */
const heldValuesMax = 10_000;
const heldUsersMax = 2_000_000;

/** How much of the range is counted. */
export type Progress = { counted: number; parts: number };

/** By the property's value as JSON: null where it is missing, '' for all others. */
type Tallies = Map<string | null, Tally>;

/**
 * A series for each of the 20 values with the most events, for events without the property, and for all others. Counted
 * day by day, so that there is progress, and never all of the events in memory.
 */
export async function* breakDown(
  transact: Transact,
  raw: Omit<RawQuery, 'bounds'>,
  buckets: readonly Bucket[],
  property: string,
): AsyncGenerator<Progress, { series: Series[]; estimated: boolean }> {
  const parts = partsOf(buckets);
  const progress = { counted: 0, parts: parts.length };
  async function* count(values: readonly string[] | null) {
    const tallies: Tallies = new Map();
    const asked = { property, values, max: heldValuesMax };
    // The database reads the next day while one is added up here.
    const read = (part: Part | undefined) => {
      const rows = part && transact(sql => listByValue(sql, { ...raw, bounds: part.bounds }, asked));
      // Nobody may be waiting for it when it fails.
      rows?.catch(() => {});
      return rows;
    };
    let ahead = read(parts[0]);
    for (const [index, { first }] of parts.entries()) {
      yield { ...progress };
      // Which values matter is known: of what is before, only the numbers stay.
      if (values !== null) for (const tally of tallies.values()) tally.close(first);
      const rows = (await ahead) ?? [];
      ahead = read(parts[index + 1]);
      for (const { value, events } of rows) tallyOf(tallies, value).add(first, events);
      progress.counted += 1;
      if (values === null && isLarge(tallies)) {
        await ahead;
        return null;
      }
    }
    return gather(tallies);
  }
  let tallies = yield* count(null);
  if (tallies === null) {
    progress.parts += progress.counted;
    const all = { ...raw, bounds: boundsOf(buckets) };
    tallies = yield* count(await transact(sql => findFrequent(sql, all, property, valuesMax)));
  }
  return countsOf(tallies ?? new Map(), raw.names[0] ?? '', buckets.length);
}

type Part = { first: number; bounds: number[] };

/**
 * Buckets by the day, longer ones in days; `first`: the bucket of its beginning. Of a part within one bucket, nothing
 * looks up the bucket of an event.
 */
function partsOf(buckets: readonly Bucket[]): Part[] {
  const parts: Part[] = [];
  for (const [index, { fromMs, toMs }] of buckets.entries())
    for (let startMs = fromMs; startMs < toMs; startMs += dayMs) {
      const endMs = Math.min(startMs + dayMs, toMs);
      const last = parts.at(-1);
      if (last !== undefined && endMs - (last.bounds[0] ?? 0) <= dayMs) last.bounds.push(endMs);
      else parts.push({ first: index, bounds: [startMs, endMs] });
    }
  return parts;
}

function tallyOf(tallies: Tallies, value: string | null): Tally {
  const tally = tallies.get(value) ?? new Tally();
  tallies.set(value, tally);
  return tally;
}

function isLarge(tallies: Tallies): boolean {
  const users = tallies.values().reduce((sum, tally) => sum + tally.weight, 0);
  return tallies.size >= heldValuesMax || users > heldUsersMax;
}

/** The most frequent values, those with as many events by their JSON; then events without the property, then others. */
function gather(tallies: Tallies): Tallies {
  const values = [...tallies].filter(([value]) => value !== null && value !== '');
  values.sort(([left, own], [right, other]) => {
    return other.total.events - own.total.events || (String(left) < String(right) ? -1 : 1);
  });
  const shown: Tallies = new Map(values.slice(0, valuesMax));
  const missing = tallies.get(null);
  if (missing !== undefined) shown.set(null, missing);
  const others = tallies.get('') ?? new Tally();
  for (const [, tally] of values.slice(valuesMax)) others.merge(tally);
  if (others.total.events > 0) shown.set('', others);
  return shown;
}

function countsOf(tallies: Tallies, event: string, length: number): { series: Series[]; estimated: boolean } {
  const series = [...tallies].map(([value, tally]): Series => {
    tally.close(length);
    return { event, group: groupOf(value), data: tally.data(length), total: tally.total };
  });
  return { series, estimated: tallies.values().some(tally => tally.isEstimated) };
}

function groupOf(json: string | null): NonNullable<Series['group']> {
  if (json === null) return { type: 'missing', value: null };
  return json === '' ? { type: 'other', value: null } : { type: 'value', value: JSON.parse(json) };
}
