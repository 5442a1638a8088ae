import test from 'ava';
import type { VersionRules } from '#control-plane/monitoring/checks/intake/accept.ts';
import { VersionBook } from '#control-plane/monitoring/checks/intake/version-book.ts';

const rules: VersionRules = {
  projectId: 'proj_1',
  atMs: 0,
  regions: ['a'],
  intervalMs: 60_000,
  timeoutMs: 1000,
  p95: [],
  warning: null,
  warnOn: [],
};

test('rules are found by monitor and version, and all are forgotten once there are too many', t => {
  const book = new VersionBook(2);
  book.set('mon_1', 1, rules);
  book.set('mon_1', 2, { ...rules, atMs: 2 });
  book.set('mon_1', 2, { ...rules, atMs: 3 });
  book.makeRoom();
  t.is(book.get('mon_1', 2)?.atMs, 3);
  t.is(book.get('mon_1', 3), undefined);
  t.is(book.get('mon_2', 1), undefined);
  book.set('mon_2', 1, rules);
  book.makeRoom();
  t.is(book.get('mon_1', 1), undefined);
  book.set('mon_1', 1, rules);
  book.makeRoom();
  t.is(book.get('mon_1', 1), rules, 'the count begins anew');
});
