import test from 'ava';
import fc from 'fast-check';
import { decodeResponse, encodeRequest } from '#agent/probe/kinds/grpc/health-message.ts';
import { codeOf, describeCode } from '#agent/probe/kinds/grpc/status-codes.ts';

const framed = (...bytes: number[]) => Buffer.from([0, 0, 0, 0, bytes.length, ...bytes]);

const answers: readonly [what: string, bytes: Buffer, status: string | null | undefined][] = [
  ['no field', framed(), 'UNKNOWN'],
  ['1', framed(8, 1), 'SERVING'],
  ['2', framed(8, 2), 'NOT_SERVING'],
  ['3', framed(8, 3), 'SERVICE_UNKNOWN'],
  ['a status of tomorrow', framed(8, 200, 1), null],
  ['the last of two', framed(8, 1, 8, 2), 'NOT_SERVING'],
  [
    'fields of every type before it',
    framed(16, 5, 25, 1, 2, 3, 4, 5, 6, 7, 8, 34, 2, 9, 9, 45, 1, 2, 3, 4, 8, 1),
    'SERVING',
  ],
  ['a number that does not end', framed(8, 255), undefined],
  ['a number of eleven bytes', framed(8, ...Array(10).fill(255), 1), undefined],
  ['a text beyond the end', framed(10, 200, 1, 65), undefined],
  ['eight bytes beyond the end', framed(9, 1), undefined],
  ['a group', framed(11, 12), undefined],
  ['nothing', Buffer.alloc(0), undefined],
  ['half a prefix', Buffer.alloc(3), undefined],
  ['a compressed message', Buffer.from([1, 0, 0, 0, 2, 8, 1]), undefined],
  ['two messages', Buffer.concat([framed(8, 1), framed(8, 1)]), undefined],
];
for (const [what, bytes, status] of answers)
  test(`of an answer with ${what} the status is ${status}`, t => t.is(decodeResponse(bytes) as unknown, status));

test('no bytes make the reader throw or read on', t => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes => t.notThrows(() => decodeResponse(framed(...bytes)))),
  );
});

test('a request has the name of the service, or nothing', t => {
  t.deepEqual(encodeRequest(''), framed());
  t.deepEqual(encodeRequest('a.B'), framed(10, 3, 97, 46, 66));
  const long = encodeRequest('x'.repeat(200));
  t.deepEqual([...long.subarray(0, 8)], [0, 0, 0, 0, 203, 10, 200, 1]);
  t.is(long.length, 208);
});

test('a code beyond those of gRPC counts as unknown, and what is no number as none', t => {
  const texts = ['0', '16', '17', '999999999', '', '-1', '1.5', 'OK', '9999999999'];
  t.deepEqual(texts.map(codeOf), [0, 16, 2, 2, null, null, null, null, null]);
});

test('what the server says is read and cut, control characters aside', t => {
  t.is(describeCode(5, 'unknown%20service'), 'gRPC code 5, NOT_FOUND: unknown service');
  t.is(describeCode(12, ''), 'the server has no health service');
  t.is(describeCode(14, '100%\n'), 'gRPC code 14, UNAVAILABLE: 100% ');
  t.is(describeCode(2, 'x'.repeat(500)).length, 'gRPC code 2, UNKNOWN: '.length + 200);
});
