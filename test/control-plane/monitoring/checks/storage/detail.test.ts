import test from 'ava';
import fc from 'fast-check';
import type { ResultDetail } from '#control-plane/monitoring/checks/result.ts';
import { detailOf } from '#control-plane/monitoring/checks/storage/detail.ts';
import { anyText } from '#test/support/any-text.ts';
import { makeNewResult } from '#test/support/monitor-state.ts';

/** What a text that an assertion saw is after it was stored and read. */
function stored(actual: string): string | null | undefined {
  const assertions = [{ index: 0, type: 'body_contains' as const, passed: false, expected: 'x', actual }];
  const detail = JSON.parse(detailOf(makeNewResult(0, { assertions }))) as ResultDetail;
  return detail.assertions[0]?.actual;
}

for (const [title, actual, expected] of [
  ['plain text', 'plain', 'plain'],
  ['NUL', 'a\u0000b', 'a\ufffdb'],
  ['a high surrogate alone', 'a\ud800b', 'a\ufffdb'],
  ['a low surrogate alone', 'a\udc00b', 'a\ufffdb'],
  ['surrogates in the wrong order', '\udc00\ud800', '\ufffd\ufffd'],
  ['a pair of surrogates', 'a\ud83d\ude00b', 'a😀b'],
  ['a pair after a high surrogate', '\ud83d\ud83d\ude00', '\ufffd😀'],
  ['NUL at the start', '\u0000', '\ufffd'],
  ['NULs in a row', '\u0000\u0000', '\ufffd\ufffd'],
  ['another control character', 'a\u0001b', 'a\u0001b'],
  ['the escape of NUL as text', 'a\\u0000b', 'a\\u0000b'],
  ['a backslash before NUL', 'a\\\u0000b', 'a\\\ufffdb'],
  ['two backslashes before the text of an escape', '\\\\u0000', '\\\\u0000'],
  ['the text of a surrogate', '\\ud800', '\\ud800'],
] as const) {
  test(`${title} is stored as PostgreSQL accepts it`, t => {
    t.is(stored(actual), expected);
  });
}

test('only NUL and lone surrogates are replaced', t => {
  fc.assert(
    fc.property(anyText(), text => {
      t.is(stored(text), text.toWellFormed().replaceAll('\u0000', '\ufffd'));
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.constantFrom('\\', '\u0000', 'u0000', '\ud800', '\udc00', '"', 'a')), pieces => {
      const text = pieces.join('');
      t.is(stored(text), text.toWellFormed().replaceAll('\u0000', '\ufffd'));
    }),
  );
});

test('the detail holds the fields that have no column, and no other', t => {
  const fields = ['assertions', 'bytes', 'error', 'remote_ip', 'timings', 'tls', 'truncated'];
  t.deepEqual(Object.keys(JSON.parse(detailOf(makeNewResult(0)))).sort(), fields);
});
