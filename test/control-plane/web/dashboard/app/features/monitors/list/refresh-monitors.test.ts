import test from 'ava';
import { readSavedFilter } from '#control-plane/web/dashboard/app/features/monitors/list/monitor-list.ts';
import { replaceMonitors } from '#control-plane/web/dashboard/app/features/monitors/list/refresh-monitors.ts';
import type { Monitor } from '#control-plane/web/dashboard/app/session/api-types.ts';

const monitor = (id: string, name = id) => ({ id, name }) as Monitor;

test('monitors that changed are replaced in their places, added or left out', t => {
  const known = ['a', 'b', 'c'].map(id => monitor(id));
  const found = [monitor('b', 'renamed'), monitor('d')];
  const names = replaceMonitors(known, new Set(['b', 'c', 'd']), found).map(({ name }) => name);
  t.deepEqual(names, ['d', 'a', 'renamed']);
});

test('a filter that was saved is read again, and nonsense filters nothing', t => {
  t.deepEqual(readSavedFilter('["shop","down"]'), { text: 'shop', status: 'down', kind: null });
  t.deepEqual(readSavedFilter('["shop","down","dns"]'), { text: 'shop', status: 'down', kind: 'dns' });
  for (const nonsense of ['', '{}', 'null', '[null,"up and away"]', '["",null,"smoke"]'])
    t.deepEqual(readSavedFilter(nonsense), { text: '', status: null, kind: null });
});
