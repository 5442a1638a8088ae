import test from 'ava';
import type { Monitor } from '#control-plane/dashboard/app/data/api-types.ts';
import {
  byUrgency,
  describeChanges,
  filterMonitors,
  pageBounds,
  pageCount,
  pageOf,
  statusesByUrgency,
} from '#control-plane/dashboard/app/views/monitor/monitor-list.ts';
import { sampleMonitor } from '../samples.ts';

const monitor = (name: string, status: Monitor['status'] = 'up') => sampleMonitor({ id: `mon_${name}`, name, status });

test('the most urgent monitors come first, then by name, and an unknown status last', t => {
  t.deepEqual(statusesByUrgency, ['down', 'degraded', 'undetermined', 'pending', 'up', 'paused']);
  const list = [
    monitor('new', 'half_open' as 'up'),
    monitor('p', 'paused'),
    monitor('b'),
    monitor('a'),
    monitor('z', 'down'),
  ];
  t.deepEqual(
    list.sort(byUrgency).map(({ name }) => name),
    ['z', 'a', 'b', 'p', 'new'],
  );
});

test('a filter matches every word in name, URL, region or id, and the status', t => {
  const list = [
    sampleMonitor({ id: 'mon_a', name: 'Shop', url: 'https://shop.example/', regions: ['eu'], status: 'down' }),
    sampleMonitor({ id: 'mon_b', name: 'Search', url: 'https://search.example/', regions: ['us'], status: 'up' }),
  ];
  const cases: [string, Monitor['status'] | null, string[]][] = [
    ['', null, ['mon_a', 'mon_b']],
    ['  SHOP eu ', null, ['mon_a']],
    ['example', 'up', ['mon_b']],
    ['mon_b us', null, ['mon_b']],
    ['shop us', null, []],
    ['shop', 'up', []],
  ];
  for (const [text, status, ids] of cases)
    t.deepEqual(
      filterMonitors(list, { text, status }).map(({ id }) => id),
      ids,
      `${text} ${status}`,
    );
});

test('pages hold fifty monitors and cover the list without overlap', t => {
  for (const total of [0, 1, 50, 51, 149]) {
    const list = Array.from({ length: total }, (_, index) => monitor(String(index)));
    const pages = Array.from({ length: pageCount(total) }, (_, page) => pageOf(list, page));
    t.deepEqual(pages.flat(), list);
    t.true(pages.every(page => page.length > 0 && page.length <= 50));
  }
  t.deepEqual(pageBounds(149, 2), { first: 101, last: 149 });
  t.deepEqual(pageBounds(149, 0), { first: 1, last: 50 });
});

test('changed statuses are announced, three by name; new and unchanged monitors are not', t => {
  const before = ['a', 'b', 'c', 'd', 'e'].map(name => monitor(name));
  const down = (names: string) =>
    before.map(item => (names.includes(item.name) ? { ...item, status: 'down' as const } : item));
  t.is(describeChanges(before, before), null);
  t.is(describeChanges([], before), null);
  t.is(describeChanges(before, down('b')), 'b is down');
  t.is(describeChanges(before, down('abc')), 'a is down, b is down, c is down');
  t.is(describeChanges(before, down('abcde')), 'a is down, b is down, c is down and 2 more changed');
});
