import { type List, read } from './api.ts';

/** Every item of a list, page by page; stops once it has `max`. */
export async function readAll<Item>(
  page: (cursor: { cursor?: string; limit: number }) => Promise<{ data?: List<Item> }>,
  max = 5000,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const list: List<Item> = await read(page({ limit: 200, ...(cursor === null ? {} : { cursor }) }));
    items.push(...list.data);
    cursor = list.pagination.next_cursor;
  } while (cursor !== null && items.length < max);
  return items;
}
