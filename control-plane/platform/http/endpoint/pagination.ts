import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type FieldError, Problem } from '../problem.ts';
import { timestampMax } from './parameters.ts';

const limitDefault = 50;
const limitMax = 200;
/** A page ends where its items reach this size, so that no answer occupies the process for long. */
const pageBytesMax = 1_048_576;
/** Most rows read at once where rows may be large. */
const portionRows = limitDefault + 1;

/** Query parameters of every list. A limit above 200 is clamped. */
export const pageParameters = {
  limit: z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(text => Math.min(Number(text), limitMax))
    .pipe(z.int().min(1))
    .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: limitMax })
    .describe(`Number of items on a page, ${limitDefault} by default.`)
    .optional(),
  cursor: z.string().max(1024).optional(),
};

/** A position in a list: the sort key and the id of the last row shown. */
export type PageKey = readonly [ms: number, id: string];

export type Page = { limit: number; after: PageKey | null };

type ListQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

/**
 * Reads `limit` and `cursor`. Throws `invalid_cursor` for a cursor of another list or of other filters, and
 * `invalid_parameter` if `from` is after `to`. `list` names the list, with the ids in its path.
 */
export function readPage(list: string, query: ListQuery): Page {
  refuseTurnedRange(query);
  const limit = query.limit ?? limitDefault;
  return { limit, after: query.cursor === undefined ? null : decode(query.cursor, bindingOf(list, query)) };
}

/** Throws `invalid_parameter` if `from` is after `to`. */
export function refuseTurnedRange({ from, to }: Pick<ListQuery, 'from' | 'to'>): void {
  if (from === undefined || to === undefined || from <= to) return;
  const error: FieldError = { parameter: 'from', code: 'out_of_range', detail: 'must not be after to' };
  throw new Problem('invalid_parameter', { detail: 'from must not be after to', errors: [error] });
}

type List<Row, Item> = { name: string; query: ListQuery; keyOf: (row: Row) => PageKey; show: (row: Row) => Item };
type PageBody<Item> = { data: Item[]; pagination: { has_more: boolean; next_cursor: string | null } };

/**
 * The response body of a list. `rows` has one row more than the limit if there is a next page. A page has at least one
 * item, and ends before its items exceed a mebibyte of JSON.
 */
export function pageOf<Row, Item>(
  name: string,
  query: ListQuery,
  rows: readonly Row[],
  keyOf: (row: Row) => PageKey,
  show: (row: Row) => Item,
): PageBody<Item> {
  const page = new OpenPage({ name, query, keyOf, show });
  for (const row of rows) if (!page.add(row)) break;
  return page.body();
}

/**
 * The same for rows so large that a whole page of them would not fit into memory: it reads them in portions, and none
 * after the one with which the page is full. `read` gets a cursor's position and returns one row more than its limit.
 */
export async function pageInPortions<Row, Item>(
  read: (page: Page) => Promise<readonly Row[]>,
  list: List<Row, Item>,
  rowsMax = portionRows,
): Promise<PageBody<Item>> {
  const page = new OpenPage(list);
  let { limit, after } = readPage(list.name, list.query);
  for (let rest = limit + 1; rest > 0; rest -= limit + 1) {
    limit = Math.min(rowsMax, rest) - 1;
    const portion = await read({ limit, after });
    const [last] = portion.slice(-1);
    if (!portion.every(row => page.add(row)) || last === undefined || portion.length <= limit) break;
    after = list.keyOf(last);
  }
  return page.body();
}

/** A page while rows are added to it. */
class OpenPage<Row, Item> {
  readonly #list: List<Row, Item>;
  readonly #data: Item[] = [];
  #bytes = 0;
  #last: Row | null = null;
  #hasMore = false;

  constructor(list: List<Row, Item>) {
    this.#list = list;
  }

  /** False if the row does not fit: the page is full, and there is more. */
  add(row: Row): boolean {
    const { query, show } = this.#list;
    const item = show(row);
    this.#bytes += Buffer.byteLength(JSON.stringify(item));
    const isFull = this.#data.length >= (query.limit ?? limitDefault) || this.#bytes > pageBytesMax;
    this.#hasMore = isFull && this.#data.length > 0;
    if (this.#hasMore) return false;
    this.#last = row;
    this.#data.push(item);
    return true;
  }

  body(): PageBody<Item> {
    const { name, query, keyOf } = this.#list;
    const next = this.#hasMore && this.#last !== null ? encode(keyOf(this.#last), bindingOf(name, query)) : null;
    return { data: this.#data, pagination: { has_more: next !== null, next_cursor: next } };
  }
}

/** Schema of a list's response body. */
export function listOf(item: z.ZodType) {
  return z.object({
    data: z.array(item),
    pagination: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
  });
}

const cursorSchema = z.tuple([z.literal(1), z.string(), z.int().min(0).max(timestampMax), z.string().max(200)]);

function encode([ms, id]: PageKey, binding: string): string {
  return Buffer.from(JSON.stringify([1, binding, ms, id])).toString('base64url');
}

function decode(cursor: string, binding: string): PageKey {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new Problem('invalid_cursor');
  }
  const parsed = cursorSchema.safeParse(value);
  if (!parsed.success || parsed.data[1] !== binding || parsed.data[3].includes('\u0000'))
    throw new Problem('invalid_cursor');
  return [parsed.data[2], parsed.data[3]];
}

/** A cursor belongs to one list and one set of filters; the limit may change from page to page. */
function bindingOf(list: string, { limit: _limit, cursor: _cursor, ...filters }: ListQuery): string {
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort();
  return createHash('sha256')
    .update(JSON.stringify([list, sorted]))
    .digest('base64url')
    .slice(0, 12);
}
