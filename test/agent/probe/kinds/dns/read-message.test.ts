import test from 'ava';
import packet from 'dns-packet';
import fc from 'fast-check';
import { makeQuery } from '#agent/probe/kinds/dns/query.ts';
import { readAnswer } from '#agent/probe/kinds/dns/read-message.ts';
import { MessageError } from '#agent/probe/kinds/dns/wire-reader.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const query = makeQuery({ name: 'WWW.Example.com', type: 'A', recursion: true });
const head = (flags: number, answers: number) => {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.id);
  header.writeUInt16BE(flags, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers, 6);
  return Buffer.concat([header, query.bytes.subarray(12, 12 + 17 + 4)]);
};
/** A record of type A for the name at this offset. */
const record = (offset: number, address = [192, 0, 2, 1]) =>
  Buffer.from([0xc0 | (offset >> 8), offset & 255, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
const response = 0x8180;

test('a query is what was asked for, with room for 1232 bytes', t => {
  const asked = packet.decode(query.bytes);
  t.like(asked, {
    type: 'query',
    id: query.id,
    flag_rd: true,
    questions: { 0: { name: 'WWW.Example.com', type: 'A' } },
  });
  t.like(asked.additionals, { 0: { type: 'OPT', udpPayloadSize: 1232 } });
  t.false(packet.decode(makeQuery({ name: 'a', type: 'TYPE65280', recursion: false }).bytes).flag_rd);
  t.is(makeQuery({ name: 'a', type: 'TYPE65280', recursion: false }).bytes.readUInt16BE(12 + 3), 65_280);
});

test('queries have numbers of their own', t => {
  const ids = Array.from({ length: 50 }, () => makeQuery({ name: 'a', type: 'A', recursion: true }).id);
  t.true(new Set(ids).size > 45);
});

test('an answer has its code, and the records of the type in lower case', t => {
  t.deepEqual(readAnswer(Buffer.concat([head(response, 1), record(12)]), query), {
    rcode: 'NOERROR',
    records: [{ name: 'www.example.com', type: 1, ttl: 60, data: '192.0.2.1' }],
  });
  t.like(readAnswer(head(response | 3, 0), query), { rcode: 'NXDOMAIN', records: [] });
  t.like(readAnswer(head(response | 12, 0), query), { rcode: 'RCODE12' });
});

test('a message with another number, another question, or that is no answer is none', t => {
  const good = Buffer.concat([head(response, 1), record(12)]);
  const changed = (at: number, value: number) => Buffer.from(good.with(at, value));
  t.is(readAnswer(changed(0, (good[0] ?? 0) ^ 1), query), null);
  t.is(readAnswer(changed(2, 0x01), query), null, 'a query');
  t.is(readAnswer(changed(14, 'x'.charCodeAt(0)), query), null, 'another name');
  t.is(readAnswer(changed(12 + 17 + 1, 28), query), null, 'another type');
  t.is(readAnswer(good.subarray(0, 11), query), null, 'half a header');
  t.is(readAnswer(Buffer.alloc(0), query), null);
});

test('an error may come without the question, records may not', t => {
  const bare = Buffer.from(
    head(response | 1, 0)
      .subarray(0, 12)
      .with(5, 0),
  );
  t.like(readAnswer(bare, query), { rcode: 'FORMERR' });
  t.is(readAnswer(Buffer.from(bare.with(3, 0x80)), query), null);
});

test('a truncated answer is not read, whatever it has of records', t => {
  t.is(readAnswer(Buffer.concat([head(response | 0x200, 9), Buffer.from([1, 2])]), query), 'truncated');
});

for (const [what, tail] of [
  ['fewer records than it says', Buffer.alloc(0)],
  ['half a record', record(12).subarray(0, 9)],
  ['a name that points to itself', record(12 + 17 + 4)],
  ['a name that points ahead', record(1000)],
] as const)
  test(`an answer of ${what} cannot be read`, t => {
    t.throws(() => readAnswer(Buffer.concat([head(response, 1), tail]), query), { instanceOf: MessageError });
  });

test('random bytes after the question are read or refused', t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.nat(65_535), (tail, answers) => {
      try {
        readAnswer(Buffer.concat([head(response, answers), tail]), query);
      } catch (error) {
        if (!(error instanceof MessageError)) throw error;
      }
    }),
  );
  t.pass();
});

test('names of 64 KiB that point from one to the next cost milliseconds', async t => {
  // A record of another type holds the chain; every other record has its last link as its name.
  const chain = Buffer.alloc(16_000);
  const start = head(response, 0).length + 11;
  for (let at = 2; at < chain.length; at += 2) chain.writeUInt16BE(0xc000 | (start + at - 2), at);
  const holder = Buffer.from([0, 0, 10, 0, 1, 0, 0, 0, 0, chain.length >> 8, chain.length & 255]);
  const last = start + chain.length - 2;
  const hostile = Buffer.concat([
    head(response, 3000),
    holder,
    chain,
    ...Array.from({ length: 2999 }, () => record(last)),
  ]);
  const near = Buffer.concat([
    head(response, 3000),
    holder,
    chain,
    ...Array.from({ length: 2999 }, (_, index) => record(start + 2 * (index % 8000))),
  ]);
  const ms = await leastThreadMs(250, () => {
    t.throws(() => readAnswer(hostile, query), { instanceOf: MessageError });
    t.notThrows(() => readAnswer(near, query));
  });
  t.true(ms < 250, `${ms} ms`);
});
