import { once } from 'node:events';
import type { Socket } from 'node:net';
import test from 'ava';
import type { ProbeTools } from '#agent/probe/attempt.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';
import { startDeafTarget } from '../../../../support/deaf-target.ts';
import { withTime } from '../../../../support/patience.ts';
import { namesResolver, probeKindOnce, probeTools } from '../../../../support/probe.ts';
import { startRawTarget } from '../../../../support/target.ts';

type Options = Parameters<typeof probeKindOnce>[2] & { send?: string; read?: boolean; tools?: ProbeTools };

/** One attempt against a server that does this on each connection. */
async function probe(talk: (socket: Socket) => void, { send, read, tools, ...options }: Options = {}) {
  await using target = await startRawTarget(talk);
  const check = { kind: 'tcp', host: '127.0.0.1', port: target.port, send: send ?? null, read: read ?? false } as const;
  return await probeKindOnce(check, tools, options);
}

const contains = (value: string): Assertion => ({
  type: 'body_contains',
  operator: 'contains',
  value,
  case_insensitive: false,
});
const containsNot = (value: string): Assertion => ({
  type: 'body_contains',
  operator: 'not_contains',
  value,
  case_insensitive: false,
});

test('a connection is enough without `read`, and its time is the latency', async t => {
  const outcome = await probe(() => undefined);
  t.like(outcome, { error: null, statusCode: null, bytes: 0, remoteIp: '127.0.0.1', tls: null, facts: null });
  t.like(outcome.response, { statusCode: null, bodyText: '', truncated: false });
  t.true((outcome.timings.connect_ms ?? 0) > 0);
  t.is(outcome.timings.first_byte_ms, null);
  t.true(outcome.latencyMs >= (outcome.timings.connect_ms ?? 0));
});

test('what is sent without `read` arrives whole, also at a server that greets first', async t => {
  const received = Promise.withResolvers<string>();
  await using target = await startRawTarget(socket => {
    let text = '';
    socket.write('hello\r\n');
    socket.on('data', bytes => {
      text += bytes;
    });
    socket.on('close', () => received.resolve(text));
  });
  const outcome = await probeKindOnce({
    kind: 'tcp',
    host: '127.0.0.1',
    port: target.port,
    send: 'grün\n',
    read: false,
  });
  t.is(outcome.error, null);
  t.is(await received.promise, 'grün\n');
});

test('a refusal, silence and a name without addresses say where the attempt failed', async t => {
  const check = { kind: 'tcp', host: '127.0.0.1', port: 1, send: null, read: true } as const;
  t.like(await probeKindOnce(check), {
    error: { code: 'connect_refused' },
    failureSource: 'target',
    phase: 'connect',
    host: '127.0.0.1:1',
  });
  await using deaf = await startDeafTarget();
  const silent = await probeKindOnce({ ...check, port: deaf.port }, probeTools(), { timeoutMs: 500 });
  t.like(silent, { error: { code: 'connect_timeout' }, phase: 'connect' });
  const nameless = await probeKindOnce({ ...check, host: 'missing.test', port: 5 });
  t.like(nameless, { error: { code: 'dns_failure' }, phase: 'dns', host: 'missing.test:5' });
});

test('with `read` the first byte ends the wait if nothing is asserted about the answer', async t => {
  const outcome = await probe(
    socket => {
      socket.write('220 ready\r\n');
    },
    { read: true },
  );
  t.like(outcome, { error: null, bytes: 11, truncated: false });
  t.is(outcome.response?.bodyText, '220 ready\r\n');
  t.true((outcome.timings.first_byte_ms ?? -1) >= 0);
  t.true(outcome.latencyMs >= (outcome.timings.first_byte_ms ?? 0));
});

test('what is sent comes before what is read', async t => {
  const outcome = await probe(socket => socket.on('data', bytes => socket.write(`+${bytes}`)), {
    send: 'PING\r\n',
    read: true,
    assertions: [contains('+PING')],
  });
  t.is(outcome.response?.bodyText, '+PING\r\n');
});

test('an answer is read until all assertions about it hold', async t => {
  const outcome = await probe(
    async socket => {
      for (const part of ['one ', 'two ', 'three ']) {
        socket.write(part);
        await once(socket, 'drain').catch(() => undefined);
      }
    },
    { read: true, assertions: [contains('one')] },
  );
  t.is(outcome.error, null);
  const slow = await probe(
    socket => {
      socket.setNoDelay();
      socket.write('one ');
      setImmediate(() => socket.write('two '));
    },
    { read: true, assertions: [contains('one'), contains('two')] },
  );
  t.is(slow.response?.bodyText, 'one two ');
});

test('that something does not come is known at the end alone', async t => {
  const outcome = await probe(
    socket => {
      socket.write('fine ');
      setImmediate(() => socket.end('ERROR'));
    },
    { read: true, assertions: [containsNot('ERROR')] },
  );
  t.is(outcome.response?.bodyText, 'fine ERROR');
});

test('two seconds after the last byte an answer is over, and they are not part of the latency', async t => {
  const startedMs = performance.now();
  const outcome = await probe(
    socket => {
      socket.write('half');
    },
    { read: true, assertions: [contains('whole')] },
  );
  t.true(performance.now() - startedMs - outcome.latencyMs >= 1990);
  t.is(outcome.error, null);
  t.is(outcome.response?.bodyText, 'half');
});

// One after the other: a time limit of seconds must not pass while others use the thread.
test.serial('the time limit ends an answer that goes on, and what came of it counts', async t => {
  const talk = (socket: Socket) => {
    const timer = setInterval(() => socket.write('.'), 10);
    socket.on('close', () => clearInterval(timer));
  };
  const outcome = await withTime(
    timeoutMs => probe(talk, { read: true, assertions: [contains('whole')], timeoutMs }),
    ({ error, response }) => error === null && response?.bodyText !== '',
    2000,
  );
  t.is(outcome.error, null);
  t.regex(outcome.response?.bodyText ?? '', /^\.+$/);
});

for (const [what, talk, code, message] of [
  ['an end', socket => socket.end(), 'no_reply', 'connected, but no byte came'],
  ['a reset', socket => socket.resetAndDestroy(), 'connection_reset', 'connection reset by the target'],
  ['silence until the time limit', () => undefined, 'no_reply', 'connected, but no byte came'],
] as const satisfies [string, (socket: Socket) => void, string, string][])
  test.serial(`${what} before the first byte is ${code}`, async t => {
    const outcome = await probe(talk, { read: true, timeoutMs: what.startsWith('silence') ? 2000 : 20_000 });
    t.like(outcome, { error: { code, message }, failureSource: 'target', response: null });
    // A reset may already meet the connection attempt itself.
    if (code === 'no_reply') t.is(outcome.phase, 'answer');
  });

test('a reset after the first byte is the end of the answer', async t => {
  const outcome = await probe(
    socket => {
      socket.write('bye', () => setImmediate(() => socket.resetAndDestroy()));
    },
    { read: true, assertions: [contains('more')] },
  );
  t.is(outcome.error, null);
});

test('of an endless answer 64 KiB are read, in memory that is accounted for', async t => {
  let taken = 0;
  const outcome = await probe(
    socket => {
      const chunk = Buffer.alloc(50_000, 'x');
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
    },
    {
      read: true,
      assertions: [contains('y')],
      takeBytes: bytes => {
        taken += bytes;
        return true;
      },
    },
  );
  t.like(outcome, { error: null, bytes: 65_536, truncated: true });
  t.is(outcome.response?.bodyText.length, 65_536);
  t.is(taken, 65_536);
});

test('an answer that finds no memory is a fault of the probe', async t => {
  const outcome = await probe(socket => void socket.write('hi'), { read: true, takeBytes: () => false });
  t.like(outcome, { error: { code: 'body_too_large' }, failureSource: 'probe' });
});

test('an answer that comes byte by byte costs no more than one check, however long its assertions look', async t => {
  const pattern: Assertion = {
    type: 'body_contains',
    operator: 'matches',
    value: '(a|b|x)*[yz]{2,20}(?:q|w)+$',
    case_insensitive: false,
  };
  const drip = (socket: Socket) => {
    socket.setNoDelay();
    let left = 20_000;
    const more = () => {
      if (socket.destroyed || left-- <= 0) return void socket.end();
      socket.write('x', () => setImmediate(more));
    };
    more();
  };
  const ms = await leastThreadMs(10_000, async () => {
    const outcome = await probe(drip, { read: true, assertions: [pattern] });
    t.is(outcome.error, null);
    t.true(outcome.bytes > 0);
  });
  t.true(ms < 10_000, `${ms} ms`);
});

test('a forbidden address is not connected to', async t => {
  const tools = probeTools({
    policy: { base: 'public', allow: [] },
    resolver: namesResolver({ 'in.test': [['10.0.0.1']] }),
  });
  for (const host of ['127.0.0.1', '169.254.169.254', '::1', 'in.test']) {
    const outcome = await probeKindOnce({ kind: 'tcp', host, port: 80, send: null, read: false }, tools);
    t.like(outcome, { error: { code: 'blocked_address' }, remoteIp: null });
  }
});
