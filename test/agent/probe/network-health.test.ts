import test from 'ava';
import fc from 'fast-check';
import { NetworkHealth } from '#agent/probe/network-health.ts';

const hosts = (count: number) => Array.from({ length: count }, (_, index) => `host-${index}`);

for (const [unreachable, isOutage] of [
  [0, false],
  [2, false],
  [3, true],
  [100, true],
] as const)
  test(`${unreachable} unreachable hosts are ${isOutage ? 'an' : 'no'} outage of the agent’s network`, t => {
    const health = new NetworkHealth();
    for (const host of hosts(unreachable)) health.noteUnreachable(host);
    t.is(health.isLocalOutage(), isOutage);
  });

test('one host counts once, however often it fails', t => {
  const health = new NetworkHealth(() => true);
  for (let count = 0; count < 50; count++) {
    health.noteUnreachable(`host-${count % 2}`);
    health.noteSilent(`host-${count % 4}`);
  }
  t.false(health.isLocalOutage());
});

test('a single answer ends an outage', t => {
  const health = new NetworkHealth(() => true);
  for (const host of hosts(10)) {
    health.noteUnreachable(host);
    health.noteSilent(host);
  }
  t.true(health.isLocalOutage());
  health.noteReached();
  t.false(health.isLocalOutage());
});

for (const [silent, controlPlaneSilent, isOutage] of [
  [4, true, false],
  [5, true, true],
  [5, false, false],
  [60, false, false],
] as const)
  test(`${silent} silent hosts, control plane silent ${controlPlaneSilent}: local outage ${isOutage}`, t => {
    const health = new NetworkHealth(() => controlPlaneSilent);
    for (const host of hosts(silent)) health.noteSilent(host);
    t.is(health.isLocalOutage(), isOutage);
  });

test('the control plane is consulted at the time of the question', t => {
  let silent = false;
  const health = new NetworkHealth(() => silent);
  for (const host of hosts(6)) health.noteSilent(host);
  t.false(health.isLocalOutage());
  silent = true;
  t.true(health.isLocalOutage());
});

type Event = { type: 'unreachable' | 'silent'; host: string } | { type: 'reached' };

const host = fc.constantFrom(...hosts(8));
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constantFrom('unreachable' as const, 'silent' as const), host }) },
  { weight: 1, arbitrary: fc.constant({ type: 'reached' as const }) },
);

test('only hosts that failed since the last answer count', t => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.boolean(), (events, controlPlaneSilent) => {
      const health = new NetworkHealth(() => controlPlaneSilent);
      for (const item of events) {
        if (item.type === 'reached') health.noteReached();
        else if (item.type === 'silent') health.noteSilent(item.host);
        else health.noteUnreachable(item.host);
      }
      const recent = events.slice(events.findLastIndex(item => item.type === 'reached') + 1);
      const failed = (type: Event['type']) =>
        new Set(recent.flatMap(item => (item.type === type && 'host' in item ? [item.host] : []))).size;
      const expected = failed('unreachable') >= 3 || (failed('silent') >= 5 && controlPlaneSilent);
      t.is(health.isLocalOutage(), expected);
    }),
  );
});

test('a route is looked up by the family of the address', t => {
  const health = new NetworkHealth();
  t.is(health.hasRoute('192.0.2.1'), health.hasRoute('198.51.100.7'));
  t.is(health.hasRoute('2001:db8::1'), health.hasRoute('::ffff:192.0.2.1'));
});
