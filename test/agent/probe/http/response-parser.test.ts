import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { ParseError } from '#agent/probe/http/response-head.ts';
import { headerBytesMax, ResponseParser } from '#agent/probe/http/response-parser.ts';
import { leastThreadMs, timesAsLong } from '#test/support/thread-time.ts';
import { type ReadResponse, readByNode } from '../../../oracles/http-response.ts';

/** Reads a response with our parser; null also for codes below 100, which are refused after it. */
function read(method: string, chunks: readonly Buffer[]): ReadResponse {
  return readWithWarnings(method, chunks).response;
}

function readWithWarnings(method: string, chunks: readonly Buffer[]) {
  const response = { statusCode: 0, headers: {}, body: '' };
  let isWhole = false;
  const parser = new ResponseParser(method === 'HEAD', {
    onHead: ({ statusCode, headers }) => {
      response.statusCode = statusCode;
      response.headers = Object.fromEntries(headers.byName());
    },
    onChunk: () => undefined,
    onBody: bytes => {
      response.body += bytes.toString('latin1');
    },
    onEnd: () => {
      isWhole = true;
    },
  });
  try {
    for (const chunk of chunks) parser.feed(chunk);
    parser.close();
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { response: null, warnings: parser.warnings };
  }
  return { response: isWhole && response.statusCode >= 100 ? response : null, warnings: parser.warnings };
}

function codeOf(text: string): string {
  const none = () => undefined;
  const parser = new ResponseParser(false, { onHead: none, onBody: none, onChunk: none, onEnd: none });
  try {
    parser.feed(Buffer.from(text, 'latin1'));
    return parser.isDone ? 'done' : 'open';
  } catch (error) {
    return error instanceof ParseError ? error.code : String(error);
  }
}

/** The text without what comes after the response: whether node:http objects to it depends on how it is cut. */
function withoutRest(method: string, text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const none = () => undefined;
  const parser = new ResponseParser(method === 'HEAD', { onHead: none, onBody: none, onChunk: none, onEnd: none });
  try {
    for (const index of bytes.keys()) {
      if (parser.isDone) return text.slice(0, index);
      parser.feed(bytes.subarray(index, index + 1));
    }
  } catch {
    // Both readers get all of it.
  }
  return text;
}

function split(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const edges = [0, ...cuts.map(cut => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}

/** One byte replaced, removed or added. */
type Damage = { at: number; byte: string; how: 'replace' | 'remove' | 'add' };

function damaged(text: string, damages: readonly Damage[]): string {
  let result = text;
  for (const { at, byte, how } of damages) {
    const place = at % (result.length + 1);
    result = result.slice(0, place) + (how === 'remove' ? '' : byte) + result.slice(how === 'add' ? place : place + 1);
  }
  return result;
}

const oddBytes = fc.constantFrom(...'\r\n\t\0\x01\x7f\x80\xa0\xff :;,"()-_aZ019HTP/.');
const damages = fc.array(
  fc.record({ at: fc.nat(), byte: oddBytes, how: fc.constantFrom('replace', 'remove', 'add') }) as fc.Arbitrary<Damage>,
  { maxLength: 2 },
);
const cuts = fc.array(fc.nat(), { maxLength: 5 });
const methods = fc.constantFrom('GET', 'GET', 'POST', 'HEAD');
const statusLines = fc.constantFrom(
  ...['HTTP/1.1 200 OK', 'HTTP/1.0 200 OK', 'HTTP/1.1 200', 'HTTP/1.1 204 No', 'HTTP/1.1 304 x', 'HTTP/1.1 302 Found'],
  ...['HTTP/1.1 205 Reset', 'HTTP/1.1 101 Switching', 'HTTP/1.1 599 \xe9\0', 'HTTP/1.1 999 x', 'HTTP/2.0 200 OK'],
);
const fields = fc.constantFrom(
  ...['Content-Length: 4', 'Content-Length: 04', 'content-length:4 ', 'Content-Length: 0', 'Content-Length: 4, 4'],
  ...['Transfer-Encoding: chunked', 'transfer-encoding: gzip, Chunked', 'Transfer-Encoding: identity', 'TE: x'],
  ...['Transfer-Encoding: chunked, gzip', 'Connection: close', 'Connection: x, Upgrade', 'Upgrade: y', 'A: b', 'a:c'],
  ...['Set-Cookie: \t d=\xe9\xa0 \t', 'X:', 'Location: /next', 'Content-Type: text/plain', '!#$%: &'],
);
const heads = fc
  .tuple(statusLines, fc.array(fields, { maxLength: 4 }))
  .map(([status, lines]) => `${[status, ...lines].join('\r\n')}\r\n\r\n`);
const interims = fc.constantFrom('', '', '', '\r\n', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 x\r\nA: b\r\n\r\n');
const bodies = fc.constantFrom(
  ...['', 'abcd', 'abcdefgh', 'abc', '4\r\nabcd\r\n0\r\n\r\n', '1\r\na\r\n3\r\nbcd\r\n0\r\n\r\n', '0\r\n\r\nrest'],
  ...[
    '4;a=b\r\nabcd\r\n00\r\nA: b\r\nC: d\r\n\r\n',
    'A\r\n0123456789\r\n0\r\n\r\n',
    '4\r\nabcd\r\n',
    '4\r\nabcd\r\n0\r\n',
  ],
);

/** What node:http reads is read the same; what it refuses is refused, or read with a warning. */
async function agreesWithNode(method: string, chunks: readonly Buffer[]): Promise<boolean> {
  const { response, warnings } = readWithWarnings(method, chunks);
  const expected = await readByNode(method, chunks);
  return isDeepStrictEqual(response, expected) || (expected === null && warnings.length > 0);
}

test('a response is read as node:http reads it or with a warning, in whatever chunks it arrives', async t => {
  const property = fc.assert(
    fc.asyncProperty(methods, interims, heads, bodies, damages, cuts, async (method, interim, head, body, odd, at) => {
      const text = interim + damaged(head, odd) + body;
      // Of several codings llhttp does not know the last one by a blank after it.
      fc.pre(!/chunked[ \t]+\r/i.test(text));
      return await agreesWithNode(method, split(withoutRest(method, text), at));
    }),
    { numRuns: process.env.FULL === '1' ? 100_000 : 3000 },
  );
  await t.notThrowsAsync(property);
});

test('what arrives in one piece is read the same in any others, with the same warnings', t => {
  fc.assert(
    fc.property(methods, interims, heads, bodies, damages, cuts, (method, interim, head, body, odd, at) => {
      const text = withoutRest(method, interim + damaged(head, odd) + body);
      const whole = readWithWarnings(method, split(text, []));
      const { response, warnings } = readWithWarnings(method, split(text, at));
      // What is no HTTP at all may be noticed before its line ends.
      t.deepEqual([response, response && warnings], [whole.response, response && whole.warnings]);
    }),
    { numRuns: 3000 },
  );
});

test('a damaged body that node:http reads is read the same', async t => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const property = fc.assert(
    fc.asyncProperty(bodies, damages, cuts, async (body, odd, at) => {
      const chunks = split(withoutRest('GET', head + damaged(body, odd)), at);
      const expected = await readByNode('GET', chunks);
      return expected === null || isDeepStrictEqual(read('GET', chunks), expected);
    }),
    { numRuns: process.env.FULL === '1' ? 100_000 : 2000 },
  );
  await t.notThrowsAsync(property);
});

test('a response of valid form has no warnings', t => {
  const valid = ['HTTP/1.1 200 OK', 'HTTP/1.0 200', 'HTTP/1.1 404 \xe9'];
  for (const status of valid)
    for (const body of ['Content-Length: 4\r\n\r\nabcd', 'Transfer-Encoding: Chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n'])
      t.deepEqual(
        readWithWarnings('GET', split(`${status}\r\nA:b\r\nSet-Cookie: c\xe9=d\r\n${body}`, [])).warnings,
        [],
      );
});

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
for (const [what, text, code] of [
  ['nothing', '', 'open'],
  ['the beginning of a status line', 'HTT', 'open'],
  ['another protocol, before its line ends', 'SSH-2.0', 'HPE_INVALID_CONSTANT'],
  ['RTSP', 'RTSP/1.0 200 OK\r\n', 'HPE_INVALID_CONSTANT'],
  ['an unknown version', 'HTTP/1 200 OK\r\n', 'HPE_INVALID_VERSION'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n', 'HPE_INVALID_STATUS'],
  ['a NUL in a header', `${ok}A: \0b\r\n`, 'HPE_INVALID_HEADER_TOKEN'],
  ['two lengths', `${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 'HPE_UNEXPECTED_CONTENT_LENGTH'],
  [
    'a coding with a blank before the colon',
    `${ok}Transfer-Encoding : chunked\r\n\r\n`,
    'HPE_INVALID_TRANSFER_ENCODING',
  ],
  ['a folded coding', `${ok}Transfer-Encoding:\r\n chunked\r\n\r\n`, 'HPE_INVALID_TRANSFER_ENCODING'],
  ['a folded length', `${ok}Content-Length: 1\r\n 2\r\n\r\n`, 'HPE_INVALID_CONTENT_LENGTH'],
  [
    'length and coding',
    `${ok}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    'HPE_UNEXPECTED_CONTENT_LENGTH',
  ],
  ['a length beyond 64 bits', `${ok}Content-Length: 18446744073709551616\r\n\r\n`, 'HPE_INVALID_CONTENT_LENGTH'],
  ['a negative length', `${ok}Content-Length: -1\r\n\r\n`, 'HPE_INVALID_CONTENT_LENGTH'],
  ['an empty coding', `${ok}Transfer-Encoding:\r\n\r\n`, 'HPE_INVALID_TRANSFER_ENCODING'],
  ['an upgrade', 'HTTP/1.1 101 x\r\nUpgrade: y\r\nConnection: Upgrade\r\n\r\n', 'HPE_UNEXPECTED_UPGRADE'],
  ['a body without an end', `${ok}\r\nabc`, 'open'],
  ['no body', `${ok}Content-Length: 0\r\n\r\n`, 'done'],
  ['more than the body', `${ok}Content-Length: 1\r\n\r\nabc`, 'done'],
  ['a chunk of no size', `${chunked}\r\n`, 'HPE_INVALID_CHUNK_SIZE'],
  ['a chunk larger than it says', `${chunked}1\r\nab`, 'HPE_STRICT'],
  ['an extension with blanks', `${chunked}1 ; a = "b"\r\na\r\n0\r\n\r\n`, 'done'],
  ['an endless extension', `${chunked}1;${'x'.repeat(16_400)}`, 'HPE_CHUNK_EXTENSIONS_OVERFLOW'],
  ['an endless header', `${ok}A: ${'x'.repeat(headerBytesMax)}`, 'HPE_HEADER_OVERFLOW'],
  ['8,300 short headers', `${ok}${'ab: cd\r\n'.repeat(8300)}\r\n`, 'open'],
  ['endless headers', ok + 'A: b\r\n'.repeat(headerBytesMax / 2), 'HPE_HEADER_OVERFLOW'],
  ['endless interim responses', 'HTTP/1.1 100 C\r\n\r\n'.repeat(headerBytesMax / 13 + 1), 'HPE_HEADER_OVERFLOW'],
  ['endless empty lines', '\r\n'.repeat(headerBytesMax + 1), 'HPE_HEADER_OVERFLOW'],
  ['endless trailers', `${chunked}0\r\n${'A: b\r\n'.repeat(headerBytesMax / 2)}`, 'HPE_HEADER_OVERFLOW'],
] as const)
  test(`${what}: ${code}`, t => {
    t.is(codeOf(text), code);
  });

test('bytes of one long header that come one by one cost as much as those of short ones', async t => {
  const readSingle = (text: string) => {
    const bytes = Buffer.from(text, 'latin1');
    read(
      'GET',
      Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)),
    );
  };
  const times = await timesAsLong(
    3,
    () => readSingle(`${ok}${'Abc: defghijkl\r\n'.repeat(60_000 / 16)}\r\n`),
    () => readSingle(`${ok}A: ${' '.repeat(60_000)}b\r\n\r\n`),
  );
  t.true(times < 3, `${times} times as much`);
});

test('chunks of one byte cost little, at once and byte by byte', async t => {
  const bytes = Buffer.from(chunked + '1\r\nx\r\n'.repeat(50_000), 'latin1');
  const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  for (const chunks of [[bytes], single]) {
    const ms = await leastThreadMs(1500, () => read('GET', chunks));
    t.true(ms < 1500, `${ms} ms`);
  }
});
