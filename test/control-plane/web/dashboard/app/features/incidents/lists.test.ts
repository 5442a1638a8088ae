import test from 'ava';
import { appendOlder, mergeIncidents } from '#control-plane/web/dashboard/app/features/incidents/lists.ts';
import type { Incident } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { sampleIncident } from '../../samples.ts';

const listOf = <Item>(data: Item[], next_cursor: string | null) => ({
  data,
  pagination: { has_more: next_cursor !== null, next_cursor },
});

const incidents = (ids: string[], cursor: string | null) =>
  listOf(
    ids.map((id): Incident => sampleIncident({ id })),
    cursor,
  );

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

test('the newest incidents replace the first fifty, and older pages stay while they overlap them', t => {
  const names = Array.from({ length: 60 }, (_, index) => `i${index}`);
  const loaded = { incidents: incidents(names, null).data, cursor: 'later' };
  const merged = mergeIncidents(loaded, incidents(['new', ...names.slice(0, 49)], 'next'));
  t.deepEqual(idsOf(merged.incidents), ['new', ...names.slice(0, 49), ...names.slice(50)]);
  t.is(merged.cursor, 'later');
  const afterGap = mergeIncidents(loaded, incidents(['x', 'y'], 'next'));
  t.deepEqual(idsOf(afterGap.incidents), ['x', 'y']);
  t.is(afterGap.cursor, 'next');
  t.deepEqual(idsOf(appendOlder(afterGap, incidents(['y', 'z'], null)).incidents), ['x', 'y', 'z']);
});
