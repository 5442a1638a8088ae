import { createHash } from 'node:crypto';
import { z } from 'zod';
import { timestampMax } from './parameters.ts';
import { type FieldError, Problem } from './problem.ts';

const limitDefault = 50;
const limitMax = 200;

/** Query fields of every list. A limit above 200 is clamped. */
export const pageParameters = {
  limit: z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(text => Math.min(Number(text), limitMax))
    .pipe(z.int().min(1))
    .optional(),
  cursor: z.string().max(1024).optional(),
};

/** Place in a list: the sort key and the id of the last row shown. */
export type PageKey = readonly [ms: number, id: string];

export type Page = { limit: number; after: PageKey | null };

type ListQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

/** Reads `limit` and `cursor`, and refuses a cursor of another list or of other filters. `list` names the list, path ids included. */
export function readPage(list: string, query: ListQuery): Page {
  if (query.from !== undefined && query.to !== undefined && query.from > query.to) {
    const error: FieldError = { parameter: 'from', code: 'out_of_range', detail: 'must not be after to' };
    throw new Problem('invalid_parameter', { detail: 'from must not be after to', errors: [error] });
  }
  const limit = query.limit ?? limitDefault;
  return { limit, after: query.cursor === undefined ? null : decode(query.cursor, bindingOf(list, query)) };
}

/** The answer of a list: `rows` holds up to one more than the page, which tells whether there is a next one. */
export function pageOf<Row, Item>(
  list: string,
  query: ListQuery,
  rows: readonly Row[],
  keyOf: (row: Row) => PageKey,
  show: (row: Row) => Item,
): { data: Item[]; pagination: { has_more: boolean; next_cursor: string | null } } {
  const limit = query.limit ?? limitDefault;
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    data: shown.map(show),
    pagination: { has_more: more, next_cursor: more ? encode(keyOf(last), bindingOf(list, query)) : null },
  };
}

/** Schema of a list's answer. */
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

/** A cursor belongs to one list and one set of filters; the page size may change on the way. */
function bindingOf(list: string, { limit: _limit, cursor: _cursor, ...filters }: ListQuery): string {
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort();
  return createHash('sha256')
    .update(JSON.stringify([list, sorted]))
    .digest('base64url')
    .slice(0, 12);
}
