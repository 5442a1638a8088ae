import test from 'ava';
import fc from 'fast-check';
import { readFigures, readReason } from '#agent/probe/kinds/ping/parse-ping.ts';

// Printed by iputils 20221126 and BusyBox 1.35.
const iputils = `PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.
64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.336 ms
64 bytes from 127.0.0.1: icmp_seq=2 ttl=64 time=0.038 ms
64 bytes from 127.0.0.1: icmp_seq=3 ttl=64 time=0.040 ms

--- 127.0.0.1 ping statistics ---
3 packets transmitted, 3 received, 0% packet loss, time 408ms
rtt min/avg/max/mdev = 0.038/0.137/0.336/0.140 ms`;
const iputilsWithLoss = `PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.
64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.163 ms
64 bytes from 127.0.0.1: icmp_seq=3 ttl=64 time=0.028 ms
64 bytes from 127.0.0.1: icmp_seq=5 ttl=64 time=0.040 ms

--- 127.0.0.1 ping statistics ---
5 packets transmitted, 3 received, 40% packet loss, time 817ms
rtt min/avg/max/mdev = 0.028/0.077/0.163/0.061 ms`;
const iputilsUnreachable = `PING 10.9.0.7 (10.9.0.7) 56(84) bytes of data.
From 10.9.0.1 icmp_seq=1 Destination Host Unreachable
From 10.9.0.1 icmp_seq=2 Destination Host Unreachable

--- 10.9.0.7 ping statistics ---
12 packets transmitted, 0 received, +12 errors, 100% packet loss, time 3047ms
pipe 12`;
const busyBox = `PING ::1 (::1): 56 data bytes
64 bytes from ::1: seq=0 ttl=64 time=0.032 ms
64 bytes from ::1: seq=1 ttl=64 time=0.061 ms

--- ::1 ping statistics ---
2 packets transmitted, 2 packets received, 0% packet loss
round-trip min/avg/max = 0.032/0.046/0.061 ms`;
const busyBoxWithLoss = `PING 127.0.0.1 (127.0.0.1): 56 data bytes
64 bytes from 127.0.0.1: seq=1 ttl=64 time=0.062 ms

--- 127.0.0.1 ping statistics ---
3 packets transmitted, 1 packets received, 66% packet loss
round-trip min/avg/max = 0.062/0.062/0.062 ms`;
const cut = `PING 9.9.9.9 (9.9.9.9) 56(84) bytes of data.
64 bytes from 9.9.9.9: icmp_seq=2 ttl=57 time=1012 ms
64 bytes from 9.9.9.9: icmp_seq=2 ttl=57 time=1013 ms (DUP!)`;

const none = { min_ms: null, avg_ms: null, max_ms: null, jitter_ms: null };
for (const [what, text, count, expected] of [
  ['iputils', iputils, 3, { sent: 3, received: 3, min_ms: 0.038, avg_ms: 0.138, max_ms: 0.336, jitter_ms: 0.15 }],
  [
    'iputils that sent more because some were lost',
    iputilsWithLoss,
    3,
    { sent: 3, received: 2, min_ms: 0.028, avg_ms: 0.096, max_ms: 0.163, jitter_ms: 0.135 },
  ],
  ['iputils without a reply', iputilsUnreachable, 3, { sent: 3, received: 0, ...none }],
  ['BusyBox', busyBox, 2, { sent: 2, received: 2, min_ms: 0.032, avg_ms: 0.047, max_ms: 0.061, jitter_ms: 0.029 }],
  [
    'BusyBox with loss',
    busyBoxWithLoss,
    3,
    { sent: 3, received: 1, min_ms: 0.062, avg_ms: 0.062, max_ms: 0.062, jitter_ms: null },
  ],
  [
    'a ping that was killed, with a reply that came twice',
    cut,
    4,
    { sent: 4, received: 1, min_ms: 1012, avg_ms: 1012, max_ms: 1012, jitter_ms: null },
  ],
  ['nothing', '', 3, { sent: 3, received: 0, ...none }],
] as const)
  test(`the figures of ${what}`, t => t.deepEqual(readFigures(text, count), expected));

for (const [what, stdout, stderr, expected] of [
  ['a router', iputilsUnreachable, '', 'Destination Host Unreachable (from 10.9.0.1)'],
  [
    'the system, with iputils',
    '',
    '/usr/bin/ping: connect: Network is unreachable\n',
    'connect: Network is unreachable',
  ],
  ['the system, with BusyBox', busyBoxWithLoss, 'ping: sendto: No route to host', 'sendto: No route to host'],
  ['a router, with BusyBox', '', 'ping: warning: got ICMP 3 (Destination Unreachable)', 'Destination Unreachable'],
  ['nobody', iputils, '', null],
  ['somebody hostile', '', `${'x'.repeat(999)}\u001b`, 'x'.repeat(200)],
] as const)
  test(`the reason is in the words of ${what}`, t => t.is(readReason(stdout, stderr), expected));

test('whatever is printed, the figures fit the protocol', t => {
  const line = fc
    .record({
      sequence: fc.nat(40),
      time: fc.double({ min: 0, max: 60_000, noNaN: true }),
      prefix: fc.constantFrom('icmp_', ''),
    })
    .map(
      ({ sequence, time, prefix }) =>
        `64 bytes from 1.1.1.1: ${prefix}seq=${sequence} ttl=57 time=${time.toFixed(3)} ms`,
    );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(line, fc.string())),
      fc.integer({ min: 1, max: 10 }),
      fc.nat(400),
      (lines, count, sent) => {
        const figures = readFigures(`${lines.join('\n')}\n${sent} packets transmitted`, count);
        t.true(figures.received <= figures.sent && figures.sent <= count);
        t.is(figures.avg_ms === null, figures.received === 0);
        t.is(figures.jitter_ms === null, figures.received < 2);
        if (figures.avg_ms !== null && figures.min_ms !== null && figures.max_ms !== null)
          t.true(figures.min_ms <= figures.avg_ms + 0.001 && figures.avg_ms <= figures.max_ms + 0.001);
      },
    ),
  );
});
