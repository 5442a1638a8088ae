import test from 'ava';
import { readAll } from '#control-plane/web/dashboard/app/session/read-all.ts';

test('every page of a list is read', async t => {
  const pages: Record<string, { data: number[]; next: string | null }> = {
    '': { data: [1, 2], next: 'x' },
    x: { data: [3], next: null },
  };
  const list = await readAll(async ({ cursor = '' }) => {
    const { data = [], next = null } = pages[cursor] ?? {};
    return { data: { data, pagination: { has_more: next !== null, next_cursor: next } } };
  });
  t.deepEqual(list, [1, 2, 3]);
});
