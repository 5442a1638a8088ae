import test from 'ava';
import fc from 'fast-check';
import {
  headersSchema,
  hiddenValue,
  hideValues,
  revealValues,
} from '#control-plane/monitoring/monitors/secrets/header-rules.ts';

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/);
const headers = fc.dictionary(
  name,
  fc.string().filter(value => value !== hiddenValue),
);

test('hidden headers that are sent back reveal the stored values, whatever the case of their names', t => {
  fc.assert(
    fc.property(headers, fc.boolean(), (stored, isFolded) => {
      fc.pre(new Set(Object.keys(stored).map(key => key.toLowerCase())).size === Object.keys(stored).length);
      const hidden = hideValues(stored);
      t.true(Object.values(hidden).every(value => value === hiddenValue));
      const fold = (key: string) => (isFolded ? key.toUpperCase() : key);
      const given = Object.fromEntries(Object.entries(hidden).map(([key, value]) => [fold(key), value]));
      const expected = Object.fromEntries(Object.entries(stored).map(([key, value]) => [fold(key), value]));
      t.deepEqual(revealValues(given, stored), { headers: expected, missing: [] });
    }),
  );
});

for (const [title, given, stored, expected] of [
  ['a new value wins', { a: 'new' }, { a: 'old' }, { headers: { a: 'new' }, missing: [] }],
  ['an omitted header is removed', {}, { a: 'old' }, { headers: {}, missing: [] }],
  ['a hidden value keeps the stored one', { A: hiddenValue }, { a: 'old' }, { headers: { A: 'old' }, missing: [] }],
  ['a stored empty value is kept', { a: hiddenValue }, { a: '' }, { headers: { a: '' }, missing: [] }],
  [
    'a hidden value without a stored one is missing',
    { a: hiddenValue, b: 'x' },
    {},
    { headers: { a: '', b: 'x' }, missing: ['a'] },
  ],
  ['seven stars are a value', { a: '*******' }, { a: 'old' }, { headers: { a: '*******' }, missing: [] }],
] as const) {
  test(title, t => {
    t.deepEqual(revealValues(given, stored), { headers: { ...expected.headers }, missing: [...expected.missing] });
  });
}

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
