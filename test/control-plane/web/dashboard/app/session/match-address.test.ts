import test from 'ava';
import fc from 'fast-check';
import { isWithin, matchAddress, queryOf, withQuery } from '#control-plane/web/dashboard/app/session/match-address.ts';

test('an address matches a pattern of the same form, and its parameters are words only', t => {
  const cases: [string, string, object | null][] = [
    ['#/monitors', '#/monitors', {}],
    ['#/monitors', '#/monitors?status=down', {}],
    ['#/monitors', '#/monitors/mon_1', null],
    ['#/monitors/{id}', '#/monitors/mon_1', { id: 'mon_1' }],
    ['#/monitors/{id}', '#/monitors/', null],
    ['#/monitors/{id}', '#/monitors/a-b', null],
    ['#/monitors/{id}', '#/monitors/"><script>', null],
    ['#/monitors/{id}', '#/alerts/alr_1', null],
    ['#/monitors/{id}', '', null],
  ];
  for (const [pattern, address, parameters] of cases)
    t.deepEqual(matchAddress(pattern, address), parameters, `${pattern} ${address}`);
});

test('a navigation entry is current on its page and on those below', t => {
  const addresses = ['#/monitors', '#/monitors/mon_1', '#/monitors?x', '#/monitorsX', '#/alerts'];
  t.deepEqual(
    addresses.map(address => isWithin('#/monitors', address)),
    [true, true, true, false, false],
  );
});

test('an address keeps its other parameters when some are set or removed', t => {
  const rows = [
    ['#/monitors', { q: 'a b' }, '#/monitors?q=a+b'],
    ['#/monitors?q=a&status=down', { q: '' }, '#/monitors?status=down'],
    ['#/monitors?q=a', { q: '' }, '#/monitors'],
    ['#/audit?from=1', { to: '&=#?' }, '#/audit?from=1&to=%26%3D%23%3F'],
  ] as const;
  for (const [address, changes, next] of rows) t.is(withQuery(address, changes), next);
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ minLength: 1 })), changes => {
      t.deepEqual(Object.fromEntries(queryOf(withQuery('#/x', changes))), { ...changes });
    }),
    { numRuns: 60 },
  );
});
