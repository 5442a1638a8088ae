import test from 'ava';
import {
  appendChecks,
  mergeChecks,
  noChecks,
} from '#control-plane/web/dashboard/app/features/monitors/checks/check-pages.ts';
import { sampleCheck } from '../../../samples.ts';

const listOf = <Item>(data: Item[], next_cursor: string | null) => ({
  data,
  pagination: { has_more: next_cursor !== null, next_cursor },
});

const checks = (ids: string[], cursor: string | null) =>
  listOf(
    ids.map(id => sampleCheck({ id })),
    cursor,
  );

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

test('a refresh keeps the older checks that were loaded; after a gap they are dropped', t => {
  const first = appendChecks(mergeChecks(noChecks, checks(['c', 'b'], 'next')), checks(['a'], null));
  t.is(first.cursor, null);
  const second = mergeChecks(first, checks(['d', 'c'], 'next'));
  t.deepEqual(idsOf(second.checks), ['d', 'c', 'b', 'a']);
  t.is(second.cursor, null);
  const afterGap = mergeChecks(second, checks(['z', 'y'], 'next'));
  t.deepEqual(idsOf(afterGap.checks), ['z', 'y']);
  t.is(afterGap.cursor, 'next');
});
