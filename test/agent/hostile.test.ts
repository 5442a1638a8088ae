import test from 'ava';
import type { CheckErrorCode } from '#shared/check-result.ts';
import { probeOnce } from '../support/probe.ts';
import { dripping, endless, gzipBomb, gzipped, reset, startRawTarget, startTarget } from '../support/target.ts';

const head = 'HTTP/1.1 200 OK\r\n';

async function rawOutcome(answer: string, then: 'keep' | 'end' | 'reset' = 'keep') {
  await using target = await startRawTarget(socket =>
    socket.once('data', () => {
      socket.write(answer, () => {
        if (then === 'end') socket.end();
        if (then === 'reset') socket.resetAndDestroy();
      });
    }),
  );
  return await probeOnce({ url: target.url, timeoutMs: 1000 });
}

const rows: [what: string, answer: string, then: 'keep' | 'end' | 'reset', code: CheckErrorCode][] = [
  ['a chunk without a size', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n`, 'keep', 'protocol_error'],
  ['what is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', 'keep', 'protocol_error'],
  ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 'keep', 'protocol_error'],
  [
    'length and chunks',
    `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'keep',
    'protocol_error',
  ],
  ['headers of 70 KB', `${head}X: ${'x'.repeat(70_000)}\r\n\r\n`, 'keep', 'protocol_error'],
  ['many headers of 120 KB', `${head}${'A: bcdefgh\r\n'.repeat(12_000)}\r\n`, 'keep', 'protocol_error'],
  [
    'an upgrade',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    'keep',
    'protocol_error',
  ],
  ['an early end', '', 'end', 'connection_reset'],
  ['an early reset', '', 'reset', 'connection_reset'],
  ['half a body', `${head}Content-Length: 100\r\n\r\nhalf`, 'end', 'connection_reset'],
  ['half a header', `${head}Content-Le`, 'end', 'connection_reset'],
  ['half a body, reset', `${head}Content-Length: 100\r\n\r\nhalf`, 'reset', 'connection_reset'],
  ['a body that never ends', `${head}Content-Length: 100\r\n\r\nhalf`, 'keep', 'timeout'],
  ['headers that never end', `${head}X: y\r\n`, 'keep', 'timeout'],
  ['endless 100s', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000), 'keep', 'timeout'],
];
for (const [what, answer, then, code] of rows)
  test(`${what}: ${code}`, async t => {
    const outcome = await rawOutcome(answer, then);
    t.is(outcome.error?.code, code, outcome.error?.message);
    t.is(outcome.failureSource, 'target');
    t.is(outcome.response, null);
  });

test('a connection that is reset at once is connection_reset', async t => {
  await using target = await startTarget(reset());
  t.is((await probeOnce({ url: target.url })).error?.code, 'connection_reset');
});

test('a body that drips ends with the time limit', async t => {
  await using target = await startTarget(dripping(20));
  const outcome = await probeOnce({ url: target.url, timeoutMs: 400 });
  t.is(outcome.error?.code, 'timeout');
  t.true(outcome.latencyMs < 800);
});

test('an endless body is given up after 10 MiB', async t => {
  await using target = await startTarget(endless());
  const outcome = await probeOnce({ url: target.url, timeoutMs: 10_000 });
  t.is(outcome.error?.code, 'body_too_large');
});

test('of an inflation bomb one MiB is unpacked', async t => {
  await using target = await startTarget(gzipBomb(500));
  const before = process.memoryUsage.rss();
  const outcome = await probeOnce({ url: target.url, timeoutMs: 20_000 });
  t.is(outcome.error, null);
  t.true(outcome.truncated);
  t.is(outcome.response?.bodyText.length, 1_048_576);
  t.true(process.memoryUsage.rss() - before < 150_000_000);
});

test('a body that is not what its coding says is a protocol_error', async t => {
  await using target = await startTarget((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end('this is no gzip');
  });
  t.is((await probeOnce({ url: target.url })).error?.code, 'protocol_error');
  target.behaviour = gzipped('fine');
  t.is((await probeOnce({ url: target.url })).response?.bodyText, 'fine');
});
