import test from 'ava';
import { headersSchema } from '#control-plane/monitoring/monitors/secrets/header-rules.ts';

for (const [title, given, expected] of [
  ['a token and a printable value', { 'X-Trace_1': 'a b\tc\u00e9' }, []],
  ['an empty value', { a: '' }, []],
  ['a line break', { a: 'b\r\nc: d' }, ['a']],
  ['a character beyond Latin-1', { a: '漢' }, ['a']],
  ['a space in a name', { 'a b': 'v' }, ['a b']],
  ['a header of the connection, in any case', { 'Transfer-ENCODING': 'chunked' }, ['Transfer-ENCODING']],
  ['two names that differ in case', { 'x-a': '1', 'X-A': '2' }, ['X-A']],
  ['more than 50 headers', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 'v'])), ['']],
] as const) {
  test(`headers with ${title}: ${expected.length === 0 ? 'valid' : 'refused'}`, t => {
    const parsed = headersSchema.safeParse(given);
    t.deepEqual(parsed.success ? [] : parsed.error.issues.map(issue => issue.path.join('/')), [...expected]);
  });
}
