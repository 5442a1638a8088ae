import test from 'ava';
import type { CheckErrorCode } from '#shared/check-result.ts';
import { probeOnce } from '../../support/probe.ts';
import {
  answer,
  dripping,
  endless,
  gzipBomb,
  gzipped,
  reset,
  startRawTarget,
  startTarget,
} from '../../support/target.ts';

const head = 'HTTP/1.1 200 OK\r\n';

async function rawOutcome(answer: string, then: 'keep' | 'end' | 'reset' = 'keep', timeoutMs = 20_000) {
  await using target = await startRawTarget(socket =>
    socket.once('data', () => {
      socket.write(answer, () => {
        if (then === 'end') socket.end();
        if (then === 'reset') socket.resetAndDestroy();
      });
    }),
  );
  return await probeOnce({ url: target.url, timeoutMs });
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
  ['a status code of 0', 'HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n', 'keep', 'protocol_error'],
  ['a status code of 99', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', 'keep', 'protocol_error'],
  ['a status code of 600', 'HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n', 'keep', 'protocol_error'],
  ['an early end', '', 'end', 'connection_reset'],
  ['an early reset', '', 'reset', 'connection_reset'],
  ['half a body', `${head}Content-Length: 100\r\n\r\nhalf`, 'end', 'connection_reset'],
  ['half a header', `${head}Content-Le`, 'end', 'connection_reset'],
  ['half a body, reset', `${head}Content-Length: 100\r\n\r\nhalf`, 'reset', 'connection_reset'],
  ['a body that never ends', `${head}Content-Length: 100\r\n\r\nhalf`, 'keep', 'timeout'],
  ['headers that never end', `${head}X: y\r\n`, 'keep', 'timeout'],
  ['endless 100s', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000), 'keep', 'timeout'],
];
// One after the other: a time limit of seconds must not pass while others use the thread.
for (const [what, answer, then, code] of rows)
  test.serial(`${what}: ${code}`, async t => {
    const outcome = await rawOutcome(answer, then, code === 'timeout' ? 2000 : 20_000);
    t.is(outcome.error?.code, code, outcome.error?.message);
    t.is(outcome.failureSource, 'target');
    t.is(outcome.response, null);
  });

test('a connection that is reset at once is connection_reset', async t => {
  await using target = await startTarget(reset());
  t.is((await probeOnce({ url: target.url })).error?.code, 'connection_reset');
});

test.serial('a body that arrives byte by byte ends with the time limit', async t => {
  await using target = await startTarget(dripping(20));
  const outcome = await probeOnce({ url: target.url, timeoutMs: 2000 });
  t.is(outcome.error?.code, 'timeout');
  t.true(outcome.latencyMs < 60_000);
});

test('an endless body is abandoned after 10 MiB', async t => {
  await using target = await startTarget(endless());
  const outcome = await probeOnce({ url: target.url, timeoutMs: 60_000 });
  t.is(outcome.error?.code, 'body_too_large');
});

for (const [what, chunk] of [
  ['of one byte', '1\r\nx\r\n'],
  ['with long extensions', `1;${'x'.repeat(10_000)}\r\nx\r\n`],
] as const)
  test(`a body in chunks ${what} is abandoned once it would be larger than 10 MiB with them`, async t => {
    let sent = 0;
    const bytes = Buffer.from(chunk.repeat(Math.ceil(65_536 / chunk.length)));
    await using target = await startRawTarget(socket => {
      const send = () => {
        while (!socket.destroyed && socket.write(bytes)) sent += bytes.length;
        sent += bytes.length;
      };
      socket.once('data', () => {
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
        socket.on('drain', send);
        send();
      });
    });
    const outcome = await probeOnce({ url: target.url, timeoutMs: 60_000 });
    t.like(outcome.error, {
      code: 'body_too_large',
      message: 'the body has too many chunks: it is larger than 10 MiB with 64 bytes for each',
    });
    t.true(outcome.bytes < 170_000, `${outcome.bytes} bytes`);
    t.true(sent < 40_000_000, `${sent} bytes were sent`);
  });

// Before the others, whose memory would be counted.
test.serial('only one MiB of a decompression bomb is decompressed', async t => {
  await using target = await startTarget(gzipBomb(500));
  const before = bytesInUse();
  const outcome = await probeOnce({ url: target.url, timeoutMs: 60_000 });
  t.is(outcome.error, null);
  t.true(outcome.truncated);
  t.is(outcome.response?.bodyText.length, 1_048_576);
  t.true(bytesInUse() - before < 150_000_000);
});

test('of a chunk that goes beyond the first MiB only its beginning is kept', async t => {
  // Its chunks begin with what the headers left over, so that none ends at the MiB.
  await using target = await startTarget(answer(200, 'a'.repeat(3_000_000)));
  const outcome = await probeOnce({ url: target.url, timeoutMs: 60_000 });
  t.is(outcome.error, null);
  t.true(outcome.truncated);
  t.is(outcome.response?.bodyText.length, 1_048_576);
});

function bytesInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('a body that is not encoded as declared is a protocol_error that names the encoding', async t => {
  let coding = '';
  await using target = await startTarget((_, response) => {
    response.writeHead(200, { 'content-encoding': coding });
    response.end('this is none of them');
  });
  for (const [header, name] of [
    ['gzip', 'gzip'],
    ['X-GZIP', 'gzip'],
    ['deflate', 'deflate'],
    ['br', 'Brotli'],
    ['zstd', 'Zstandard'],
    ['br, gzip', 'gzip'],
  ] as const) {
    coding = header;
    const { error } = await probeOnce({ url: target.url });
    t.deepEqual(error, { code: 'protocol_error', message: `the body is not valid ${name}` });
  }
  target.behaviour = gzipped('fine');
  t.is((await probeOnce({ url: target.url })).response?.bodyText, 'fine');
});

for (const [what, then, code] of [
  ['then nothing', 'keep', 'timeout'],
  ['then the end', 'end', 'connection_reset'],
] as const)
  test.serial(`headers and half a body, ${what}: the result keeps what was seen`, async t => {
    const limitMs = code === 'timeout' ? 2000 : 20_000;
    const outcome = await rawOutcome(`${head}Content-Length: 100\r\n\r\nhalf`, then, limitMs);
    t.like(outcome, { error: { code }, response: null, statusCode: 200, bytes: 4 });
    t.true((outcome.timings.first_byte_ms ?? -1) >= 0 && (outcome.timings.connect_ms ?? -1) >= 0);
  });

test('of a body that cannot be decoded, status and bytes are kept', async t => {
  const outcome = await rawOutcome(`${head}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nhalf`);
  t.like(outcome, { error: { code: 'protocol_error' }, statusCode: 200, bytes: 4 });
});

test('all headers within 64 KiB are read, and a header is read as UTF-8', async t => {
  const many = Array.from({ length: 4000 }, (_, index) => `x-${index}: y`).join('\r\n');
  const outcome = await rawOutcome(`${head}${many}\r\nX-Word: grün\r\nContent-Length: 0\r\n\r\n`);
  t.deepEqual(outcome.response?.headers.get('x-3999'), ['y']);
  t.deepEqual(outcome.response?.headers.get('x-word'), ['grün']);
});
