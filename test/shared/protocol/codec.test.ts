import test from 'ava';
import fc from 'fast-check';
import { decodeAgentMessage, decodeControlMessage, encode, ProtocolError } from '#shared/protocol/codec.ts';
import { type AgentMessage, type ControlMessage, smallMessageBytesMax } from '#shared/protocol/messages.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';
import { makeAssignment } from '../../support/gateway.ts';

const count = fc.integer({ min: 0, max: 1_000_000 });
const spool = fc.record({ count, bytes: count, dropped: count });
const agentMessage: fc.Arbitrary<AgentMessage> = fc.oneof(
  fc.record({
    type: fc.constant('hello' as const),
    protocol: fc.constant(1 as const),
    version: fc.string({ maxLength: 64 }),
    boot_id: fc.string({ maxLength: 64 }),
    held: fc.record({ revision: count, digest: fc.string({ maxLength: 64 }) }),
    spool,
  }),
  fc.record({ type: fc.constant('applied' as const), revision: count, digest: fc.string({ maxLength: 64 }) }),
);
const controlMessage: fc.Arbitrary<ControlMessage> = fc.oneof(
  fc.record({ type: fc.constant('goaway' as const), reason: fc.string(), after_ms: count }),
  fc.record({
    type: fc.constant('ack' as const),
    seq: count,
    refused: fc.array(fc.record({ seq: count, reason: fc.string() })),
  }),
);

test('what one side encodes, the other decodes to the same message', t => {
  fc.assert(
    fc.property(agentMessage, message => {
      t.deepEqual(decodeAgentMessage(encode(message)), message);
    }),
  );
  fc.assert(
    fc.property(controlMessage, message => {
      t.deepEqual(decodeControlMessage(encode(message)), message);
    }),
  );
});

test('any other text is refused with a ProtocolError that reveals nothing of its content', t => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), text => {
      const error = t.throws(() => decodeControlMessage(text), { instanceOf: ProtocolError });
      t.true(error.message === 'not JSON' || error.message.startsWith('malformed message at /'));
    }),
  );
});

const malformed: [text: string, message: string][] = [
  ['', 'not JSON'],
  ['{', 'not JSON'],
  ['null', 'malformed message at /'],
  ['{"type":"nothing"}', 'malformed message at /type'],
  ['{"type":"ack","seq":-1,"refused":[]}', 'malformed message at /seq'],
  ['{"type":"ack","seq":1,"refused":[{"seq":1}]}', 'malformed message at /refused/0/reason'],
  ['{"type":"goaway","reason":"secret","after_ms":"secret"}', 'malformed message at /after_ms'],
];
for (const [text, message] of malformed)
  test(`"${text}" is refused: ${message}`, t => {
    t.throws(() => decodeControlMessage(text), { instanceOf: ProtocolError, message });
  });

test('a field of a newer version is dropped, not refused', t => {
  const text = '{"type":"goaway","reason":"r","after_ms":1,"newer":true}';
  t.deepEqual(decodeControlMessage(text), { type: 'goaway', reason: 'r', after_ms: 1 });
});

test('each side refuses the other’s messages', t => {
  const goaway = encode({ type: 'goaway', reason: 'r', after_ms: 1 });
  const applied = encode({ type: 'applied', revision: 1, digest: 'd' });
  t.throws(() => decodeAgentMessage(goaway), { instanceOf: ProtocolError });
  t.throws(() => decodeControlMessage(applied), { instanceOf: ProtocolError });
});

test('more than 500 results in one message are refused, and a bad result is not', t => {
  const message = (count: number) =>
    JSON.stringify({
      type: 'results',
      from_seq: 1,
      to_seq: count,
      results: Array.from({ length: count }, () => 'bad'),
    });
  t.notThrows(() => decodeAgentMessage(message(500)));
  t.throws(() => decodeAgentMessage(message(501)), { message: 'malformed message at /results' });
});

test('hundreds of monitors with costly patterns are read soon: nothing is compiled', async t => {
  // All patterns differ: compiled ones are kept.
  const assertionsOf = (monitor: number) =>
    Array.from({ length: 50 }, (_, index) => ({
      type: 'header' as const,
      name: 'x',
      operator: 'matches' as const,
      value: `a{1000}b{${900 + index}}${monitor}`,
    }));
  const put = Array.from({ length: 100 }, (_, monitor) =>
    makeAssignment({ url: 'http://x/', lane: 'proj_1', assertions: assertionsOf(monitor) }),
  );
  const text = encode({ type: 'assignments', mode: 'delta', revision: 1, put, drop: [], digest: '', more: false });
  const ms = await leastThreadMs(1500, () =>
    t.like(decodeControlMessage(text), { put: { length: 100, 0: { lane: 'proj_1' } } }),
  );
  t.true(ms < 1500, `${ms} ms`);
});

test('a field that a newer control plane adds is ignored', t => {
  const put = [{ ...makeAssignment({ url: 'http://x/' }), colour: 'blue' }];
  const message = { type: 'assignments', mode: 'delta', revision: 1, put, drop: [], digest: '', more: false, moon: 1 };
  t.notThrows(() => decodeControlMessage(JSON.stringify(message)));
});

/** JSON with an item as often as `count` says. */
const around = (before: string, item: string, count: number, after: string) =>
  `${before}${Array.from({ length: count }, (_, index) => item.replace('#', String(index))).join(',')}${after}`;
const vitals = '{"type":"vitals","clock_offset_ms":0,"assignments":1,"checks":1,"period_ms":5000,"queue_depth":0,';
const restOfVitals = '"late_starts":0,"rss_bytes":1,"spool":{"count":0,"bytes":0,"dropped":0}}';
const probed = '{"type":"probed","request_id":"p","result":null,"response":{"status_code":200,"body_excerpt":"",';

test('only results and answers to probes may be large', t => {
  const large = smallMessageBytesMax;
  const applied = around('{"type":"applied","revision":1,"digest":"","x":[', '[]', large / 3, ']}');
  t.throws(() => decodeAgentMessage(applied), { instanceOf: ProtocolError, message: 'message too large' });
  t.throws(() => decodeAgentMessage(`[${'0,'.repeat(large)}0]`), { message: 'message too large' });
  const results = around(
    '{"type":"results","from_seq":1,"to_seq":1,"results":[',
    '"x"',
    500,
    `,"${'y'.repeat(large)}"]}`,
  );
  t.throws(() => decodeAgentMessage(results), { message: 'malformed message at /results' });
  const fine = around('{"type":"results","from_seq":1,"to_seq":1,"results":[', `"${'y'.repeat(800)}"`, 500, ']}');
  t.is(decodeAgentMessage(fine).type, 'results');
  const answer = around(`${probed}"headers":{`, `"#":"${'y'.repeat(1024)}"`, 100, '}}}');
  t.is(decodeAgentMessage(answer).type, 'probed');
});

test('keys are counted before they are validated', t => {
  const read = (text: string) => decodeAgentMessage(text);
  t.is(read(around(`${vitals}"missed":{`, '"#":1', 16, `},${restOfVitals}`)).type, 'vitals');
  for (const count of [17, 5000])
    t.throws(() => read(around(`${vitals}"missed":{`, '"#":1', count, `},${restOfVitals}`)), {
      message: 'malformed message at /missed',
    });
  t.is(read(around(`${probed}"headers":{`, '"#":""', 100, '}}}')).type, 'probed');
  // Each would be an issue of its own.
  t.throws(() => read(around(`${probed}"headers":{`, '"#":1', 80_000, '}}}')), {
    message: 'malformed message at /response/headers',
  });
});
