import { dayMs, dayOf, hourMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { CountedType, Span } from '../cells/cell.ts';
import { listCells, type NamedCell } from '../cells/cell-store.ts';
import { emptySet, mergedExactMax, mergeSets, sizeOf, type UserSet } from '../user-sets/user-set.ts';
import type { Bucket } from './buckets.ts';

/** Events and users of a bucket. */
export type Count = { events: number; users: number };

/** What is counted of one name: by bucket, and the users of all buckets together. */
export type NameCounts = { data: Count[]; events: number; users: UserSet; estimated: boolean };

/** Cells of up to 16 KB each that are read at once. */
const cellsPerQuery = 480;

/** A part of a range that is read from cells of hours or of days. */
export type Part = { span: Span; fromMs: number; toMs: number };

/** Sums and unites the cells of each name in buckets of whole hours, which ascend without gaps. */
export async function mergeCells(
  sql: Sql,
  series: { projectId: string; type: CountedType; names: readonly string[] },
  buckets: readonly Bucket[],
): Promise<Map<string, NameCounts>> {
  const merges = new Map(series.names.map(name => [name, new CellMerge(buckets)]));
  const cellsAtOnce = Math.max(1, Math.floor(cellsPerQuery / series.names.length));
  for (const { span, fromMs, toMs } of partsOf(buckets)) {
    const stepMs = cellsAtOnce * (span === 'hour' ? hourMs : dayMs);
    for (let atMs = fromMs; atMs < toMs; atMs += stepMs) {
      const cells = await listCells(sql, series, { span, fromMs: atMs, toMs: Math.min(toMs, atMs + stepMs) });
      for (const cell of cells) merges.get(cell.name)?.add(cell);
    }
  }
  return new Map([...merges].map(([name, merge]) => [name, merge.close()]));
}

/** The days of UTC that lie wholly in a bucket, and the hours beside them; neighbours of one span are one part. */
export function partsOf(buckets: readonly Bucket[]): Part[] {
  const parts: Part[] = [];
  const add = (span: Span, fromMs: number, toMs: number) => {
    const last = parts.at(-1);
    if (fromMs >= toMs) return;
    if (last?.span === span && last.toMs === fromMs) last.toMs = toMs;
    else parts.push({ span, fromMs, toMs });
  };
  for (const { fromMs, toMs } of buckets) {
    const [first, last] = [dayOf(fromMs + dayMs - 1), dayOf(toMs)];
    if (first >= last) add('hour', fromMs, toMs);
    else {
      add('hour', fromMs, first);
      add('day', first, last);
      add('hour', last, toMs);
    }
  }
  return parts;
}

/** Takes the cells of one name in order of their hours, and keeps the set of one bucket at a time. */
class CellMerge {
  readonly #buckets: readonly Bucket[];
  readonly #counts: NameCounts;
  #index = 0;
  #open: UserSet = emptySet();

  constructor(buckets: readonly Bucket[]) {
    this.#buckets = buckets;
    this.#counts = {
      data: buckets.map(() => ({ events: 0, users: 0 })),
      events: 0,
      users: emptySet(),
      estimated: false,
    };
  }

  add({ start, events, users }: NamedCell): void {
    while (start >= (this.#buckets[this.#index]?.toMs ?? Number.POSITIVE_INFINITY)) this.#closeBucket();
    const count = this.#counts.data[this.#index];
    if (count === undefined) return;
    count.events += events;
    this.#counts.events += events;
    this.#open = mergeSets(this.#open, users, mergedExactMax);
  }

  close(): NameCounts {
    this.#closeBucket();
    return this.#counts;
  }

  #closeBucket(): void {
    const count = this.#counts.data[this.#index];
    if (count !== undefined) count.users = sizeOf(this.#open);
    this.#counts.users = mergeSets(this.#counts.users, this.#open, mergedExactMax);
    this.#counts.estimated ||= this.#open.kind === 'sketch' || this.#counts.users.kind === 'sketch';
    this.#open = emptySet();
    this.#index += 1;
  }
}
