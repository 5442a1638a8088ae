import test from 'ava';
import { ExpiringSet } from '#control-plane/monitoring/checks/intake/expiring-set.ts';

test('a member stays for a lifetime after it was last added', t => {
  const set = new ExpiringSet(100);
  t.false(set.has('a', 0));
  set.add('a', 0);
  t.true(set.has('a', 99));
  t.false(set.has('b', 99));
  set.add('a', 50);
  t.true(set.has('a', 149));
  t.false(set.has('a', 150));
});
