import test from 'ava';
import { probeOnce } from '../../support/probe.ts';
import { redirect, startRawTarget, startTarget } from '../../support/target.ts';

/** Requests a target on a raw socket that answers with this text and closes the connection. */
async function probed(text: string, method: 'GET' | 'HEAD' = 'GET') {
  await using target = await startRawTarget(socket => {
    socket.once('data', () => socket.end(Buffer.from(text, 'latin1')));
  });
  return await probeOnce({ url: target.url, method });
}

const [four, none] = ['Content-Length: 4\r\n', 'Content-Length: 0\r\n'];
type Odd = [what: string, text: string, warnings: string[], headers: Record<string, string[]>, body: string];
const odd: Odd[] = [
  [
    'a control byte',
    `HTTP/1.1 200 OK\r\nSet-Cookie: a=\x01b\r\n${none}\r\n`,
    ['control_character'],
    { 'set-cookie': ['a=\x01b'] },
    '',
  ],
  ['a lone carriage return', `HTTP/1.1 200 OK\r\nA: b\rc\r\n${none}\r\n`, ['control_character'], { a: ['b c'] }, ''],
  ['a folded line', `HTTP/1.1 200 OK\r\nA: b\r\n \tc \r\n d\r\n${none}\r\n`, ['folded_header'], { a: ['b c d'] }, ''],
  ['a fold of nothing', `HTTP/1.1 200 OK\r\n A: b\r\n${four}\r\nabcd`, ['folded_header'], {}, 'abcd'],
  [
    'a fold of what is ignored',
    `HTTP/1.1 200 OK\r\nX: y\r\nA\r\n b\r\n${none}\r\n`,
    ['invalid_header_line', 'folded_header'],
    { x: ['y'] },
    '',
  ],
  ['LF for all line ends', 'HTTP/1.1 200 OK\nA: b\nContent-Length: 4\n\nabcd', ['line_ending'], { a: ['b'] }, 'abcd'],
  [
    'LF in chunks',
    'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n4\nabcd\n0\n\n',
    ['line_ending'],
    { 'transfer-encoding': ['chunked'] },
    'abcd',
  ],
  [
    'a blank before the colon',
    'HTTP/1.1 200 OK\r\nContent-Length \t: 4\r\n\r\nabcdefgh',
    ['blank_before_colon'],
    {},
    'abcd',
  ],
  ['a line without a colon', `HTTP/1.1 200 OK\r\nnonsense\r\n${four}\r\nabcd`, ['invalid_header_line'], {}, 'abcd'],
  ['a line without a name', `HTTP/1.1 200 OK\r\n: x\r\n(a): b\r\n${four}\r\nabcd`, ['invalid_header_line'], {}, 'abcd'],
  [
    'two equal lengths',
    `HTTP/1.1 200 OK\r\n${four}${four}\r\nabcd`,
    ['repeated_length'],
    { 'content-length': ['4', '4'] },
    'abcd',
  ],
  [
    'one length twice',
    'HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n\r\nabcd',
    ['repeated_length'],
    { 'content-length': ['4, 4'] },
    'abcd',
  ],
  ['HTTP/2.0', `HTTP/2.0 200 OK\r\n${four}\r\nabcd`, ['http_version'], {}, 'abcd'],
  ['two blanks in the status line', `HTTP/1.1  200 OK\r\n${four}\r\nabcd`, ['status_line'], {}, 'abcd'],
  [
    'an unknown coding',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\nabcd',
    ['transfer_encoding'],
    { 'transfer-encoding': ['xchunked'] },
    'abcd',
  ],
  [
    'an odd trailer',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA\r\n b\r\n\r\n`,
    ['invalid_header_line', 'folded_header'],
    { 'transfer-encoding': ['chunked'] },
    'a',
  ],
];
for (const [what, text, warnings, headers, body] of odd)
  test(`a response with ${what} is read, with a warning`, async t => {
    const outcome = await probed(text);
    t.is(outcome.error, null);
    t.deepEqual(outcome.warnings, warnings);
    t.like(outcome.response, { statusCode: 200, bodyText: body });
    for (const [name, values] of Object.entries(headers)) t.deepEqual(outcome.response?.headers.get(name), values);
  });

const bothLengths = 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n';
for (const [what, method, status] of [
  ['HEAD', 'HEAD', '200 OK'],
  ['204', 'GET', '204 No Content'],
  ['304', 'GET', '304 Not Modified'],
] as const)
  for (const framing of [bothLengths, 'Content-Length: x\r\n\r\n', 'Transfer-Encoding :chunked\r\n\r\n'])
    test(`contradictory lengths after ${what} do not matter: ${JSON.stringify(framing)}`, async t => {
      const outcome = await probed(`HTTP/1.1 ${status}\r\n${framing}`, method);
      t.like(outcome, { error: null, bytes: 0 });
      t.true(outcome.warnings.includes('length'));
    });

test('warnings are those of all redirects, each once, and stay beside an error', async t => {
  const moved = 'HTTP/1.1 302 Found\nLocation: ';
  await using last = await startRawTarget(socket => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\nA : b\nTransfer-Encoding: chunked\n\nz\n'));
  });
  await using first = await startRawTarget(socket => {
    socket.once('data', () => socket.end(`${moved}${last.url}\n\n`));
  });
  const outcome = await probeOnce({ url: first.url });
  t.like(outcome, { error: { code: 'protocol_error' }, warnings: ['line_ending', 'blank_before_colon'] });
});

test('a response of valid form has no warnings', async t => {
  await using target = await startTarget(redirect(302, '/next'));
  t.deepEqual((await probeOnce({ url: target.url, followRedirects: false })).warnings, []);
});
