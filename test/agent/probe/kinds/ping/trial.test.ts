import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { tryPing } from '#agent/probe/kinds/ping/trial.ts';
import { makeFakePing, printing } from '../../../../support/fake-ping.ts';

const reply = printing('64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.045 ms');
const rows: [what: string, script: string, expected: Awaited<ReturnType<typeof tryPing>>][] = [
  ['answers', reply, { interval: '0.2' }],
  ['takes whole seconds alone', `case "$*" in *0.2*) exit 1;; esac\n${reply}`, { interval: '1' }],
  [
    'is not permitted',
    printing('', 'ping: socket: Operation not permitted\nping: => missing cap_net_raw+p capability or setuid?', 2),
    { reason: 'not permitted: widen net.ipv4.ping_group_range' },
  ],
  [
    'is not permitted to BusyBox',
    printing('', 'ping: permission denied (are you root?)', 1),
    { reason: 'not permitted: widen net.ipv4.ping_group_range' },
  ],
  ['gets no reply', printing('PING 127.0.0.1', '', 1), { reason: 'no reply from 127.0.0.1' }],
  ['fails otherwise', printing('', 'ping: something else', 2), { reason: 'something else' }],
];
for (const [what, script, expected] of rows)
  test(`a program that ${what}: ${JSON.stringify(expected)}`, async t => {
    using ping = makeFakePing(script);
    t.deepEqual(await tryPing(ping.path), expected);
  });

test('packets leave from the address that the operator chose', async t => {
  using ping = makeFakePing(`case "$*" in *"-I 127.0.0.1 127.0.0.1") ;; *) exit 1;; esac\n${reply}`);
  t.deepEqual(await tryPing(ping.path, { ipv4: '127.0.0.1', ipv6: null }), { interval: '0.2' });
  t.deepEqual(await tryPing(ping.path, { ipv4: null, ipv6: '::1' }), { reason: 'no reply from 127.0.0.1' });
});

test('a host without the program says so', async t => {
  t.deepEqual(await tryPing('/nonexistent'), { reason: 'not installed' });
});

test('a program that this user may not run is told from one that may send no packets', async t => {
  using ping = makeFakePing(reply);
  chmodSync(join(ping.path, 'ping'), 0o644);
  t.deepEqual(await tryPing(ping.path), { reason: 'not installed, or not executable for this user' });
});
