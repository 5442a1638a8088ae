import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import {
  BodyError,
  BodyReader,
  framingBytesMin,
  type ReadBody,
  textBytesMax,
  wireBytesMax,
} from '#agent/probe/http/body-reader.ts';
import { ResponseHeaders } from '#agent/probe/http/response-headers.ts';

const noFlow = { pause: () => undefined, resume: () => undefined };

function headersFrom(values: Record<string, string>): ResponseHeaders {
  const headers = new ResponseHeaders();
  for (const [name, value] of Object.entries(values)) headers.add(name, value);
  return headers;
}

/** Reads a body that arrives in the given chunks. */
function read(
  chunks: readonly Uint8Array[],
  headers: Record<string, string> = {},
  wantsText = true,
): Promise<ReadBody> {
  const reader = new BodyReader(headersFrom(headers), wantsText ? () => true : null, noFlow);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return reader.body;
}

/** Cuts bytes into chunks at the given positions. */
function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const edges = [0, ...cuts.map(cut => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return edges.slice(1).flatMap((end, index) => {
    const chunk = bytes.subarray(edges[index], end);
    return chunk.length === 0 ? [] : [chunk];
  });
}

const encoders: Record<string, (bytes: Buffer) => Buffer> = {
  identity: bytes => bytes,
  gzip: gzipSync,
  'x-gzip': gzipSync,
  ' GZIP ': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

for (const [coding, encode] of Object.entries({ ...encoders, 'deflate ': deflateRawSync }))
  test(`a body coded as "${coding}" reads the same in whatever chunks it arrives`, async t => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        async (written, cuts) => {
          const text = written.replace(/^\uFEFF/, '');
          const bytes = encode(Buffer.from(text));
          const body = await read(split(bytes, cuts), { 'content-encoding': coding });
          t.deepEqual(body, { bytes: bytes.length, text, truncated: false });
        },
      ),
      { numRuns: 40 },
    );
  });

for (const [coding, encode] of [
  ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
  ['br,gzip', (bytes: Buffer) => gzipSync(brotliCompressSync(bytes))],
  ['identity, gzip', gzipSync],
  ['deflate, gzip, zstd', (bytes: Buffer) => zstdCompressSync(gzipSync(deflateSync(bytes)))],
] as const)
  test(`the codings "${coding}" are undone in their order`, async t => {
    const text = 'content '.repeat(20_000);
    const bytes = encode(Buffer.from(text));
    const body = await read(split(bytes, [1, 50, 1000]), { 'content-encoding': coding });
    t.is(body.text, text);
    const damaged = read([bytes.subarray(0, bytes.length >> 1)], { 'content-encoding': coding });
    await t.throwsAsync(damaged, { instanceOf: BodyError });
  });

test('a bomb within a bomb costs no more than one MiB', async t => {
  const bytes = gzipSync(gzipSync(Buffer.alloc(90_000_000)));
  const body = await read([bytes], { 'content-encoding': 'gzip, gzip' });
  t.like(body, { truncated: true });
  t.is(body.text.length, textBytesMax);
});

const named = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 2, 0, 9, 9]),
  Buffer.from('n\0c\0hh'),
]);
const withHeader = (bytes: Buffer) => Buffer.concat([named, gzipSync(bytes).subarray(10)]);
for (const [what, member] of [
  ['plain', gzipSync],
  ['with every field in its header', withHeader],
] as const)
  test(`what comes after a gzip member (${what}) is ignored, as browsers do`, async t => {
    for (const rest of ['\n', 'junk '.repeat(1000), '\0\0']) {
      const bytes = Buffer.concat([member(Buffer.from('content')), Buffer.from(rest)]);
      for (const cuts of [[], [30], [5, 25, 27, 28]]) {
        const body = await read(split(bytes, cuts), { 'content-encoding': 'gzip' });
        t.deepEqual(body, { bytes: bytes.length, text: 'content', truncated: false });
      }
    }
  });

test('two gzip members are one body, and a wrong checksum is still an error', async t => {
  const two = Buffer.concat([gzipSync('one '), gzipSync('two')]);
  t.is((await read([two], { 'content-encoding': 'gzip' })).text, 'one two');
  const wrong = gzipSync('content');
  wrong.writeUInt32LE(1, wrong.length - 8);
  await t.throwsAsync(read([wrong], { 'content-encoding': 'gzip' }), { instanceOf: BodyError });
});

test('a body for which there is no memory is a BodyError', async t => {
  let left = 1000;
  const take = (bytes: number) => {
    left -= bytes;
    return left >= 0;
  };
  const reader = new BodyReader(new ResponseHeaders(), take, noFlow);
  for (let index = 0; index < 10; index++) reader.push(Buffer.from('x'));
  reader.end();
  await t.throwsAsync(reader.body, { instanceOf: BodyError, message: 'ENOROOM' });
});

test('what arrives is held back until the decoder has taken what came before', async t => {
  const calls: string[] = [];
  const flow = { pause: () => calls.push('pause'), resume: () => calls.push('resume') };
  const text = Array.from({ length: 60_000 }, (_, index) => index.toString(36)).join();
  const bytes = gzipSync(text, { level: 1 });
  const reader = new BodyReader(headersFrom({ 'content-encoding': 'gzip' }), () => true, flow);
  reader.push(bytes.subarray(0, 90_000));
  t.deepEqual(calls, ['pause']);
  for (let at = 90_000; at < 90_100; at++) reader.push(bytes.subarray(at, at + 1));
  t.deepEqual(calls, ['pause'], 'what was read already comes all the same, and changes nothing');
  while (!calls.includes('resume')) await setImmediate();
  reader.push(bytes.subarray(90_100));
  reader.end();
  t.is((await reader.body).text, text);
});

test('of a large buffer only the bytes of the body are kept', async t => {
  const reader = new BodyReader(new ResponseHeaders(), () => true, noFlow);
  const buffer = Buffer.alloc(65_536, 'x');
  reader.push(buffer.subarray(100, 101));
  buffer.fill('y');
  reader.end();
  t.is((await reader.body).text, 'x');
});

test('a body that nobody waits for is not decoded to its end', async t => {
  const bytes = gzipSync(Buffer.alloc(5_000_000));
  const taken = [0, 0];
  const [stopped, other] = taken.map((_, index) => {
    const take = (more: number) => {
      taken[index] = (taken[index] ?? 0) + more;
      return true;
    };
    return new BodyReader(headersFrom({ 'content-encoding': 'gzip' }), take, noFlow);
  });
  for (const reader of [stopped, other]) reader?.push(bytes);
  stopped?.stop();
  const before = taken[0];
  other?.end();
  await other?.body;
  stopped?.push(bytes);
  t.is(taken[0], before);
  t.true((taken[1] ?? 0) > 1_000_000);
});

test('an unknown coding is read as it is', async t => {
  const body = await read([Buffer.from('plain')], { 'content-encoding': 'compress' });
  t.is(body.text, 'plain');
});

test('without a wish for text the bytes are counted and neither decoded nor stored', async t => {
  const bytes = gzipSync('content');
  const body = await read([bytes], { 'content-encoding': 'gzip' }, false);
  t.deepEqual(body, { bytes: bytes.length, text: '', truncated: false });
});

test('an empty body is no text', async t => {
  t.deepEqual(await read([]), { bytes: 0, text: '', truncated: false });
});

for (const [length, truncated] of [
  [textBytesMax, false],
  [textBytesMax + 1, true],
] as const)
  test(`of ${length} bytes the text is the first MiB, ${truncated ? 'truncated' : 'complete'}`, async t => {
    for (const coding of ['identity', 'gzip']) {
      const encode = encoders[coding] ?? gzipSync;
      const body = await read([encode(Buffer.alloc(length, 'a'))], { 'content-encoding': coding });
      t.is(body.text.length, textBytesMax, coding);
      t.is(body.truncated, truncated, coding);
    }
  });

test('a body of 10 MiB is read, one more byte is too large', async t => {
  const half = Buffer.alloc(wireBytesMax / 2);
  t.is((await read([half, half], {}, false)).bytes, wireBytesMax);
  await t.throwsAsync(read([half, half, Buffer.from('x')], {}, false), {
    instanceOf: BodyError,
    message: 'EBODYTOOLARGE',
  });
});

test('chunks count with 64 bytes each, or what their lines have, and not as bytes of the body', async t => {
  for (const [lineBytes, counted] of [
    [1, framingBytesMin],
    [framingBytesMin, framingBytesMin],
    [1000, 1000],
  ] as const)
    for (const more of [0, 1]) {
      const reader = new BodyReader(new ResponseHeaders(), null, noFlow);
      reader.push(Buffer.alloc(wireBytesMax - 10 * counted + more));
      for (let chunk = 0; chunk < 10; chunk++) reader.countChunk(lineBytes);
      reader.end();
      if (more === 0) t.is((await reader.body).bytes, wireBytesMax - 10 * counted);
      else await t.throwsAsync(reader.body, { instanceOf: BodyError, message: 'ECHUNKS' });
    }
});

for (const [what, bytes] of [
  ['not compressed at all', Buffer.from('this is no gzip')],
  ['cut in the middle', gzipSync('content '.repeat(1000)).subarray(0, 30)],
  ['damaged', Buffer.concat([gzipSync('content'.repeat(100)).subarray(0, 20), Buffer.alloc(40, 7)])],
] as const)
  test(`a gzip body that is ${what} is a BodyError with its coding`, async t => {
    const error = await t.throwsAsync(read([bytes], { 'content-encoding': 'gzip' }), { instanceOf: BodyError });
    t.like(error, { code: 'ECODING', coding: 'gzip' });
  });
