import test from 'ava';
import { PingLimit } from '#agent/probe/kinds/ping/ping-limit.ts';
import type { PingTools } from '#agent/probe/kinds/ping/run-ping.ts';
import { NetworkHealth } from '#agent/probe/network-health.ts';
import { makeFakePing, printing } from '../../../../support/fake-ping.ts';
import { withTime } from '../../../../support/patience.ts';
import { namesResolver, probeKindOnce, probeTools } from '../../../../support/probe.ts';

class Routed extends NetworkHealth {
  override hasRoute(): boolean {
    return true;
  }
}

const toolsWith = (path: string, interval: PingTools['interval'] = '0.2', health: NetworkHealth = new Routed()) =>
  probeTools({
    health,
    ping: { path, interval, limit: new PingLimit(4, () => 1) },
    resolver: namesResolver({ 'two.test': [['127.0.0.5', '::1']], 'in.test': [['10.0.0.1']] }),
  });
const check = { kind: 'ping', host: 'two.test', count: 3 } as const;

const replies = `PING 127.0.0.5 (127.0.0.5) 56(84) bytes of data.
64 bytes from 127.0.0.5: icmp_seq=1 ttl=64 time=20.5 ms
64 bytes from 127.0.0.5: icmp_seq=3 ttl=64 time=30.5 ms

--- 127.0.0.5 ping statistics ---
4 packets transmitted, 3 received, 25% packet loss, time 408ms`;

test('the program gets a literal address, and the latency is the mean of the replies', async t => {
  using ping = makeFakePing(printing(replies));
  const outcome = await probeKindOnce(check, toolsWith(ping.path));
  t.like(outcome, { error: null, statusCode: null, host: 'two.test', remoteIp: '127.0.0.5' });
  const figures = { sent: 3, received: 2, min_ms: 20.5, avg_ms: 25.5, max_ms: 30.5, jitter_ms: 10 };
  t.deepEqual(outcome.facts, { ping: figures });
  t.true(Math.abs(outcome.latencyMs - 25.5) < 0.001);
  const seconds = ping.arguments()[6] ?? '';
  t.regex(seconds, /^(1\d|20|[1-9])$/);
  t.deepEqual(ping.arguments(), ['-n', '-c', '3', '-i', '0.2', '-w', seconds, '127.0.0.5']);
  t.is(ping.locale(), 'C');
  t.deepEqual(outcome.response?.facts, outcome.facts);
});

test('where the interval must be longer, it is a second', async t => {
  using ping = makeFakePing(printing(replies));
  await probeKindOnce(check, toolsWith(ping.path, '1'));
  t.deepEqual(ping.arguments().slice(3, 5), ['-i', '1']);
});

const lost = 'PING x\n\n--- x ping statistics ---\n3 packets transmitted, 0 received, 100% packet loss, time 408ms';
test('no reply at all is no_reply, with the figures', async t => {
  using ping = makeFakePing(printing(lost, '', 1));
  const outcome = await probeKindOnce(check, toolsWith(ping.path));
  t.like(outcome, {
    error: { code: 'no_reply', message: 'no reply to 3 packets' },
    failureSource: 'target',
    phase: 'answer',
    response: null,
  });
  t.like(outcome.facts?.ping, { sent: 3, received: 0, avg_ms: null });
});

test('the words of a router are the message', async t => {
  using ping = makeFakePing(printing(`From 192.0.2.9 icmp_seq=1 Packet filtered\n${lost}`, '', 1));
  t.like(await probeKindOnce(check, toolsWith(ping.path)), {
    error: { code: 'no_reply', message: 'Packet filtered (from 192.0.2.9)' },
    failureSource: 'target',
  });
});

for (const [what, stderr, message] of [
  ['does not permit packets', 'ping: socket: Operation not permitted', 'this agent may not send packets'],
  ['has no route', 'ping: connect: Network is unreachable', 'connect: Network is unreachable'],
] as const)
  test(`a host that ${what} is itself the fault`, async t => {
    using ping = makeFakePing(printing('', stderr, 2));
    class Unrouted extends NetworkHealth {
      override hasRoute(): boolean {
        return false;
      }
    }
    const outcome = await probeKindOnce(check, toolsWith(ping.path, '0.2', new Unrouted()));
    t.like(outcome, { error: { code: 'no_reply', message }, failureSource: 'probe' });
  });

test('once three hosts are unreachable at once, that is the fault of this host', async t => {
  using ping = makeFakePing(printing('', 'ping: connect: Network is unreachable', 2));
  const tools = toolsWith(ping.path);
  const sources = [];
  for (const host of ['127.0.0.1', '127.0.0.2', '127.0.0.3'])
    sources.push((await probeKindOnce({ ...check, host }, tools)).failureSource);
  t.deepEqual(sources, ['target', 'target', 'probe']);
});

// One after the other: a time limit of seconds must not pass while others use the thread.
test.serial('a program that hangs is killed at the time limit, and what it printed until then counts', async t => {
  using ping = makeFakePing(`${printing(replies).replace(/exit 0$/, '')}exec /bin/sleep 60`);
  const outcome = await withTime(
    timeoutMs => probeKindOnce(check, toolsWith(ping.path), { timeoutMs }),
    ({ error, facts }) => error === null && facts?.ping?.received === 2,
  );
  t.is(outcome.error, null);
  t.is(outcome.facts?.ping?.received, 2);
  const isGone = () => {
    try {
      return !process.kill(ping.pid(), 0);
    } catch {
      return true;
    }
  };
  while (!isGone()) await new Promise(resolve => setImmediate(resolve));
  t.pass();
});

test('a program that prints without end is killed after 64 KiB', async t => {
  using ping = makeFakePing('while :; do echo 64 bytes from 127.0.0.5: nonsense; done');
  const outcome = await probeKindOnce(check, toolsWith(ping.path), { timeoutMs: 60_000 });
  t.is(outcome.error?.code, 'no_reply');
});

test('an agent whose host has no such program, or that holds too many answers, is itself the fault', async t => {
  const without = await probeKindOnce(check, { ...toolsWith('/nonexistent'), ping: null });
  t.like(without, { error: { code: 'no_reply' }, failureSource: 'probe' });
  const gone = await probeKindOnce(check, toolsWith('/nonexistent'));
  t.like(gone, { error: { code: 'no_reply' }, failureSource: 'probe' });
  using ping = makeFakePing(printing(replies));
  const full = await probeKindOnce(check, toolsWith(ping.path), { takeBytes: () => false });
  t.like(full, { error: { code: 'body_too_large' }, failureSource: 'probe' });
});

test('a forbidden address, or a name that leads to none that is allowed, starts no program', async t => {
  using ping = makeFakePing(printing(replies));
  const tools = { ...toolsWith(ping.path), policy: { base: 'public' as const, allow: [] } };
  for (const host of ['127.0.0.1', '::ffff:10.0.0.1', 'in.test', '-f', 'missing.test']) {
    const { error } = await probeKindOnce({ ...check, host }, tools);
    t.true(['blocked_address', 'dns_failure'].includes(error?.code ?? ''), host);
  }
  t.throws(() => ping.arguments());
});
