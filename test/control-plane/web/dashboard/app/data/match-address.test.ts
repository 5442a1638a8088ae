import test from 'ava';
import { isWithin, matchAddress } from '#control-plane/web/dashboard/app/data/match-address.ts';

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
