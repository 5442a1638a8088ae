import { problemOf } from './problem.ts';

type Page<Item> = { data: readonly Item[]; pagination: { next_cursor: string | null } };
type Answer<Item> = { data?: Page<Item>; error?: unknown; response: Response };

/**
 * All items of a list, page by page as they are read:
 * `for await (const monitor of pages(cursor => client.GET('/v0/monitors', { params: { query: { cursor } } })))`.
 * Throws a ProblemError if the server refuses.
 */
export async function* pages<Item>(
  page: (cursor: string | undefined) => Promise<Answer<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const answer = await page(cursor);
    const problem = await problemOf(answer);
    if (problem !== null || answer.data === undefined) throw problem ?? new Error('the answer is no list');
    yield* answer.data.data;
    cursor = answer.data.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
