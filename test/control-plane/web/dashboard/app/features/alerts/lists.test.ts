import test from 'ava';
import {
  type AlertLists,
  describeOpened,
  mergeAlerts,
} from '#control-plane/web/dashboard/app/features/alerts/lists.ts';
import type { Alert } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { sampleAlert } from '../../samples.ts';

const resolved = (id: string): Alert => sampleAlert({ id, state: 'resolved', resolved_at: '2026-11-21T09:55:00.000Z' });

const listOf = <Item>(data: Item[], next_cursor: string | null) => ({
  data,
  pagination: { has_more: next_cursor !== null, next_cursor },
});

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

test('open alerts come before acknowledged ones, the severest first, and older pages keep their cursor', t => {
  const none: AlertLists = { unresolved: [], resolved: [], cursor: null };
  const unresolved = [
    sampleAlert({ id: 'b', state: 'acknowledged' }),
    sampleAlert({ id: 'p2', severity: 'p2' }),
    sampleAlert({ id: 'p1', severity: 'p1' }),
  ];
  const first = mergeAlerts(none, unresolved, listOf([resolved('d')], 'next'));
  t.deepEqual(idsOf(first.unresolved), ['p1', 'p2', 'b']);
  t.is(first.cursor, 'next');
  const withOlder = { ...first, resolved: [...first.resolved, resolved('c')], cursor: 'later' };
  const second = mergeAlerts(withOlder, [], listOf([resolved('e'), resolved('d')], 'next'));
  t.deepEqual(idsOf(second.resolved), ['e', 'd', 'c']);
  t.is(second.cursor, 'later');
});

test('alerts that opened are announced, the first three by name', t => {
  const named = (title: string) => sampleAlert({ id: title, title });
  t.is(describeOpened([named('a')], [named('a'), { ...named('b'), state: 'acknowledged' }]), null);
  t.is(describeOpened([named('a')], [named('a'), named('b')]), 'New alert: b');
  const held = { ...named('b'), held: true };
  t.is(describeOpened([named('a')], [named('a'), held]), null);
  t.is(describeOpened([named('a'), held], [named('a'), named('b')]), 'New alert: b');
  t.is(describeOpened([], ['a', 'b', 'c', 'd', 'e'].map(named)), 'New alert: a, b, c and 2 more');
});
