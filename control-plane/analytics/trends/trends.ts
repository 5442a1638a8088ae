import { toTimestamp } from '#shared/clock.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Transact } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findOldestDelta } from '../cells/queue-store.ts';
import { limits } from '../events/event.ts';
import { badParameter } from '../flows/report/query.ts';
import { ceilHour, floorHour } from '../flows/roll-up/dirty-hours.ts';
import { listMarkers } from '../releases/store.ts';
import { addUser, mergedExactMax, sizeOf } from '../user-sets/user-set.ts';
import { breakDown, type Progress } from './break-down.ts';
import { alignBuckets, type Bucket, bucketsOf, endOfRange, isAligned, rangeOf } from './buckets.ts';
import { findCountedFrom } from './counted-from.ts';
import { type Count, mergeCells, type NameCounts } from './merge-cells.ts';
import { hasOtherNames } from './name-list-store.ts';
import { countRaw, listRawActors, type RawQuery } from './raw-store.ts';
import type { TrendQuery, TrendsView } from './schema.ts';
import { boundsOf, type Series } from './series.ts';

const markersMax = 100;

/** `range`: by `readRange`. */
export type TrendRequest = {
  projectId: string;
  query: TrendQuery;
  range: { fromMs: number; toMs: number };
  retentionDays: number;
  nowMs: number;
};

/** Throws `unavailable` after a minute, as a single statement would. */
export async function readTrends(sql: Sql, request: TrendRequest): Promise<TrendsView> {
  const endMs = performance.now() + minuteMs;
  const steps = countTrends(work => work(sql), request);
  for (;;) {
    const { done, value } = await steps.next();
    if (done === true) return value;
    if (performance.now() > endMs) throw new Problem('unavailable', { detail: 'this takes more than a minute' });
  }
}

/** The steps of a count whose answer is sent as it goes: lines of progress, the last one the trends. */
export async function* writeTrends(transact: Transact, request: TrendRequest): AsyncGenerator<string> {
  const steps = countTrends(transact, request);
  for (let done: boolean | undefined = false; done !== true; ) {
    const step = await steps.next();
    done = step.done;
    yield `${JSON.stringify(step.value)}\n`;
  }
}

/**
 * Events and users over time. Whole hours come from cells, which outlive the events; values of a property, and zones
 * whose days begin within an hour of UTC, are counted from the events while these are kept.
 */
async function* countTrends(
  transact: Transact,
  { projectId, query, range: asked, retentionDays, nowMs }: TrendRequest,
): AsyncGenerator<Progress, TrendsView> {
  const { event: names, type, breakdown = null } = query;
  const throughMs = Math.min((await transact(sql => findOldestDelta(sql, projectId))) ?? nowMs, nowMs);
  const rawFromMs = nowMs - retentionDays * dayMs;
  const range = { ...asked };
  const rawStartMs = ceilHour(rawFromMs + limits.aheadMs);
  if (breakdown !== null) range.fromMs = Math.min(range.toMs, Math.max(range.fromMs, rawStartMs));
  const buckets = bucketsOf(query, range.fromMs, range.toMs);
  const raw = { projectId, type, names, rawFromMs };
  const cut = breakdown !== null ? 0 : isAligned(buckets) ? buckets.length : firstFrom(buckets, rawStartMs);
  const [counted, fromEvents] = [alignBuckets(buckets.slice(0, cut)), buckets.slice(cut)];
  const counts =
    breakdown === null
      ? await transact(sql => countNames(sql, raw, counted, fromEvents))
      : yield* breakDown(transact, raw, buckets, breakdown);
  const completeFrom = cut > 0 ? await transact(sql => findCountedFrom(sql, projectId, nowMs)) : null;
  return {
    range: { from: toTimestamp(range.fromMs), to: toTimestamp(range.toMs) },
    granularity: query.granularity,
    timezone: query.timezone,
    breakdown,
    series: counts.series.map(({ event, group, data, total }) => ({
      event,
      type,
      group,
      complete_from: completeFrom === null ? null : toTimestamp(completeFrom),
      data: data.map((count, index) => ({ bucket: buckets[index]?.label ?? '', ...count })),
      total,
    })),
    complete_through: toTimestamp(throughMs),
    source: fromEvents.length === 0 ? 'hourly' : counted.length === 0 ? 'raw' : 'mixed',
    users_estimated: counts.estimated,
    aligned: isAligned(buckets.slice(0, cut)) ? 'exact' : 'hour',
    names_truncated: await transact(sql => hasOtherNames(sql, projectId, type, range.fromMs, range.toMs)),
    releases: await transact(sql => releasesIn(sql, projectId, range)),
  };
}

/** From cells up to a bucket, from events after it. The users of both are united. */
async function countNames(
  sql: Sql,
  raw: Omit<RawQuery, 'bounds'>,
  counted: readonly Bucket[],
  fromEvents: readonly Bucket[],
): Promise<{ series: Series[]; estimated: boolean }> {
  const cells = await mergeCells(sql, raw, counted);
  if (fromEvents.length > 0) await addRaw(sql, { ...raw, bounds: boundsOf(fromEvents) }, cells);
  return {
    series: raw.names.map(event => {
      const { data = [], events = 0, users } = cells.get(event) ?? {};
      return { event, group: null, data, total: { events, users: users === undefined ? 0 : sizeOf(users) } };
    }),
    estimated: [...cells.values()].some(each => each.estimated || each.users.kind === 'sketch'),
  };
}

async function addRaw(sql: Sql, query: RawQuery, cells: ReadonlyMap<string, NameCounts>): Promise<void> {
  const rows = await countRaw(sql, query);
  const length = query.bounds.length - 1;
  for (const [name, counts] of cells) {
    const data = Array.from({ length }, (): Count => ({ events: 0, users: 0 }));
    for (const { bucket, events, users } of rows.filter(row => row.name === name))
      if (bucket === null) counts.events += events;
      else data[bucket] = { events, users };
    counts.data.push(...data);
  }
  for (const { name, actors } of await listRawActors(sql, query)) {
    const counts = cells.get(name);
    if (counts === undefined) continue;
    for (const actor of actors) counts.users = addUser(counts.users, actor, mergedExactMax);
  }
}

function firstFrom(buckets: readonly Bucket[], ms: number): number {
  const index = buckets.findIndex(bucket => bucket.fromMs >= ms);
  return index < 0 ? buckets.length : index;
}

/** The range that is asked for. Throws `invalid_parameter`. */
export function readRange(
  { event, breakdown, granularity, from, to }: TrendQuery,
  nowMs: number,
): TrendRequest['range'] {
  if (breakdown !== undefined && event.length > 1)
    throw badParameter('breakdown', 'not_allowed', 'needs one event alone');
  const { defaultMs, maxMs, max } = rangeOf[granularity];
  const toMs = endOfRange(to ?? Math.max(nowMs, from ?? 0));
  const fromMs = floorHour(from ?? toMs - defaultMs);
  if (fromMs > toMs) throw badParameter('from', 'out_of_range', 'must not be after to');
  if (toMs - fromMs > maxMs) throw badParameter('from', 'out_of_range', `must be at most ${max} before to`);
  return { fromMs, toMs };
}

/** The newest releases of the range, ascending. */
async function releasesIn(
  sql: Sql,
  projectId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<TrendsView['releases']> {
  const markers = await listMarkers(sql, projectId);
  return markers
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .slice(-markersMax)
    .map(({ id, atMs, version, name }) => ({ release_id: id, version, name, released_at: toTimestamp(atMs) }));
}
