import test from 'ava';
import { createApiClient } from '#control-plane/web/api-client/client.ts';
import { type AlertLists, describeOpened, mergeAlerts } from '#control-plane/web/dashboard/app/data/alert-lists.ts';
import { appendChecks, mergeChecks, noChecks } from '#control-plane/web/dashboard/app/data/checks.ts';
import { describeDrivers } from '#control-plane/web/dashboard/app/data/components.ts';
import { appendOlder, mergeIncidents } from '#control-plane/web/dashboard/app/data/incident-pages.ts';
import { externalUrl, postUpdate } from '#control-plane/web/dashboard/app/data/incident-update.ts';
import {
  byUrgency,
  describeChanges,
  filterMonitors,
  parseFilter,
  sortMonitors,
  statusesByUrgency,
} from '#control-plane/web/dashboard/app/data/monitor-list.ts';
import { foldChecks } from '#control-plane/web/dashboard/app/data/plots/check-groups.ts';
import { visibleRows } from '#control-plane/web/dashboard/app/data/plots/visible-rows.ts';
import type { Alert, Incident, Monitor } from '#control-plane/web/dashboard/app/data/server/api-types.ts';
import { sampleAlert, sampleCheck, sampleIncident, sampleMonitor } from '../samples.ts';

const listOf = <Item>(data: Item[], next_cursor: string | null) => ({
  data,
  pagination: { has_more: next_cursor !== null, next_cursor },
});
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);
const resolved = (id: string): Alert => sampleAlert({ id, state: 'resolved', resolved_at: '2026-11-21T09:55:00.000Z' });
const incidents = (ids: string[], cursor: string | null) =>
  listOf(
    ids.map((id): Incident => sampleIncident({ id })),
    cursor,
  );
const checks = (ids: string[], cursor: string | null) =>
  listOf(
    ids.map(id => sampleCheck({ id })),
    cursor,
  );
const monitor = (name: string, status: Monitor['status'] = 'up') => sampleMonitor({ id: `mon_${name}`, name, status });

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

test('resolving uses its own operation, once', async t => {
  const sent: [path: string, body: unknown][] = [];
  const client = createApiClient({
    baseUrl: 'http://up.example',
    fetch: async request => {
      sent.push([new URL(request.url).pathname, await request.json()]);
      return Response.json({});
    },
  });
  const open = { id: 'inc_1', state: 'monitoring' } as const;
  await postUpdate(client, open, 'resolved', 'Fixed.');
  await postUpdate(client, { id: 'inc_1', state: 'resolved' }, 'resolved', 'More.');
  await postUpdate(client, open, 'identified', 'x');
  t.deepEqual(sent, [
    ['/v0/incidents/inc_1/resolve', { body: 'Fixed.' }],
    ['/v0/incidents/inc_1/updates', { state: 'resolved', body: 'More.' }],
    ['/v0/incidents/inc_1/updates', { state: 'identified', body: 'x' }],
  ]);
});

test('the link field of a post-mortem shows external addresses only', t => {
  const url = 'https://up.example/status/acme/incidents/inc_1';
  t.is(externalUrl({ url, postmortem_url: null }), '');
  t.is(externalUrl({ url, postmortem_url: `${url}#postmortem` }), '');
  t.is(externalUrl({ url, postmortem_url: 'https://blog.example/x' }), 'https://blog.example/x');
});

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

test('equal results of a region in a row fold into one; another outcome starts a new one', t => {
  const result = (id: string, region: string, status_code: number) => sampleCheck({ id, region, status_code });
  const list = [result('5', 'eu', 200), result('4', 'us', 200), result('3', 'eu', 200), result('2', 'eu', 503)];
  const groups = foldChecks([...list, result('1', 'eu', 200)]);
  t.deepEqual(
    groups.map(({ newest, oldest, count }) => [newest.id, oldest.id, count]),
    [
      ['5', '3', 2],
      ['4', '4', 1],
      ['2', '2', 1],
      ['1', '1', 1],
    ],
  );
});

test('monitors are sorted by urgency, then by name; an unknown status comes last', t => {
  const list = [monitor('c', 'up'), monitor('x', 'new' as 'up'), monitor('b', 'down'), monitor('a', 'up')];
  t.deepEqual(
    sortMonitors(list, { sort: 'urgency' }).map(({ name }) => name),
    ['b', 'a', 'c', 'x'],
  );
  t.deepEqual(
    sortMonitors(list, { sort: 'name' }).map(({ name }) => name),
    ['a', 'b', 'c', 'x'],
  );
  t.is(statusesByUrgency[0], 'down');
  t.is(Math.sign(byUrgency(monitor('a', 'down'), monitor('b', 'up'))), -1);
});

test('every word of a search must match name, address, region or label', t => {
  const list = [monitor('Shop'), sampleMonitor({ id: 'mon_2', name: 'Search', labels: { team: 'web' } })];
  const names = (text: string) => filterMonitors(list, { text, status: null }).map(({ name }) => name);
  t.deepEqual(names('SHOP eu'), ['Shop', 'Search']);
  t.deepEqual(names('team=web'), ['Search']);
  t.deepEqual(names('shop team=web'), ['Search']);
  t.deepEqual(names('nothing'), []);
  t.deepEqual(filterMonitors(list, { text: '', status: 'down' }), []);
});

test('a filter finds text in any case, as full case folding has it', t => {
  const list = ['ΟΔΟΣ', 'Straße', 'İstanbul'].map(name => monitor(name));
  const names = (text: string) => filterMonitors(list, { text, status: null }).map(({ name }) => name);
  t.deepEqual(names('οδος'), ['ΟΔΟΣ']);
  t.deepEqual(names('STRASSE'), ['Straße']);
  t.deepEqual(names('istanbul'), ['İstanbul']);
});

test('a filter comes from the address, and what it does not know filters nothing', t => {
  const parse = (query: string) => parseFilter(new URLSearchParams(query));
  t.deepEqual(parse('q=a%20b&status=down&sort=name'), { text: 'a b', status: 'down', sort: 'name' });
  t.deepEqual(parse('status=broken&sort=colour'), { text: '', status: null, sort: 'urgency' });
});

test('changed states are announced, the first three by name', t => {
  const before = ['a', 'b', 'c', 'd'].map(name => monitor(name));
  t.is(describeChanges(before, before), null);
  t.is(describeChanges(before, [monitor('a', 'down'), monitor('new', 'down')]), 'a is down');
  const all = before.map(({ name }) => monitor(name, 'down'));
  t.is(describeChanges(before, all), 'a is down, b is down, c is down and 1 more changed');
});

test('of a long list the rows near the visible part are rendered, and never many', t => {
  const rows = (top: number, count = 5000) => visibleRows({ top, height: 900, rowHeight: 60, count });
  t.is(rows(300).first, 0);
  for (const top of [0, -1000, -59_999, -290_000]) {
    const { first, last } = rows(top);
    t.true(first <= -top / 60 && last >= Math.min(5000, (900 - top) / 60), `${top}`);
    t.true(last - first <= 60, `${top}`);
  }
  t.deepEqual(rows(0, 3), { first: 0, last: 3 });
  t.deepEqual(rows(0, 0), { first: 0, last: 0 });
});

test('a component counts the monitors that are listed and those that its selector matches once each', t => {
  const drivers = { monitor_ids: ['a', 'b'], matched_monitor_ids: ['b', 'c'], matched_truncated: false };
  t.is(describeDrivers(drivers), 'driven by 3 monitors');
  t.is(describeDrivers({ ...drivers, matched_truncated: true }), 'driven by more than 3 monitors');
  t.is(describeDrivers({ ...drivers, monitor_ids: [], matched_monitor_ids: [] }), 'no monitors');
});
