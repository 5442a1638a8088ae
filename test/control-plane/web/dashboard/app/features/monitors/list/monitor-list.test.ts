import test from 'ava';
import {
  byUrgency,
  describeChanges,
  filterMonitors,
  kindsIn,
  parseFilter,
  readSavedFilter,
  savedText,
  sortMonitors,
  statusesByUrgency,
} from '#control-plane/web/dashboard/app/features/monitors/list/monitor-list.ts';
import type { Monitor } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { sampleMonitor } from '../../../samples.ts';

const monitor = (name: string, status: Monitor['status'] = 'up') => sampleMonitor({ id: `mon_${name}`, name, status });

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
  t.deepEqual(parse('q=a%20b&status=down&sort=name'), {
    ...{ text: 'a b', status: 'down', sort: 'name' },
    kind: null,
  });
  t.is(parse('kind=ping').kind, 'ping');
  t.deepEqual(parse('status=broken&sort=colour&kind=x'), {
    ...{ text: '', status: null, sort: 'urgency' },
    kind: null,
  });
});

test('a kind narrows the list and is saved; what was saved without one stays as it is', t => {
  const list = [monitor('a'), { ...monitor('b'), kind: 'ping' as const }];
  t.deepEqual(
    filterMonitors(list, { text: '', status: null, kind: 'ping' }).map(({ name }) => name),
    ['b'],
  );
  t.deepEqual(kindsIn(list), ['http', 'ping']);
  for (const kind of [null, 'ping'] as const) {
    const filter = { text: 'a', status: 'down', kind } as const;
    t.deepEqual(readSavedFilter(savedText(filter)), filter);
  }
  t.is(savedText({ text: 'a ', status: null, kind: null }), '["a",null]');
});

test('changed states are announced, the first three by name', t => {
  const before = ['a', 'b', 'c', 'd'].map(name => monitor(name));
  t.is(describeChanges(before, before), null);
  t.is(describeChanges(before, [monitor('a', 'down'), monitor('new', 'down')]), 'a is down');
  const all = before.map(({ name }) => monitor(name, 'down'));
  t.is(describeChanges(before, all), 'a is down, b is down, c is down and 1 more changed');
});
