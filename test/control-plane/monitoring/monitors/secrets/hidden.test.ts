import test from 'ava';
import fc from 'fast-check';
import { hiddenValue, hide, reveal } from '#control-plane/monitoring/monitors/secrets/hidden.ts';

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/);
const headers = fc.dictionary(
  name,
  fc.string().filter(value => value !== hiddenValue),
);

test('hidden headers that are sent back reveal the stored values, whatever the case of their names', t => {
  fc.assert(
    fc.property(headers, fc.boolean(), (stored, isFolded) => {
      fc.pre(new Set(Object.keys(stored).map(key => key.toLowerCase())).size === Object.keys(stored).length);
      const hidden = hide({ headers: stored }).headers;
      t.true(Object.values(hidden).every(value => value === hiddenValue));
      const fold = (key: string) => (isFolded ? key.toUpperCase() : key);
      const given = Object.fromEntries(Object.entries(hidden).map(([key, value]) => [fold(key), value]));
      const expected = Object.fromEntries(Object.entries(stored).map(([key, value]) => [fold(key), value]));
      t.deepEqual(reveal({ headers: given }, { headers: stored }), { settings: { headers: expected }, missing: [] });
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
    { headers: { a: '', b: 'x' }, missing: ['/headers/a'] },
  ],
  ['seven stars are a value', { a: '*******' }, { a: 'old' }, { headers: { a: '*******' }, missing: [] }],
] as const) {
  test(title, t => {
    const { headers, missing } = expected;
    t.deepEqual(reveal({ headers: given }, { headers: stored }), {
      settings: { headers: { ...headers } },
      missing: [...missing],
    });
  });
}

test('a hidden body and a hidden text to be sent keep the stored ones, each its own', t => {
  const stored = { body: 'b', tcp: { send: 's', read: true } };
  const given = { body: hiddenValue, tcp: { send: hiddenValue, read: false } };
  t.deepEqual(reveal(given, stored), { settings: { body: 'b', tcp: { send: 's', read: false } }, missing: [] });
  t.deepEqual(reveal(given, {}).missing, ['/body', '/tcp/send']);
});

test('what cannot be hidden stays as it is', t => {
  const settings = { url: 'http://a.example/', body: null, tcp: null, headers: undefined };
  t.deepEqual(hide(settings), settings);
  t.deepEqual(
    hide({ body: 'b', headers: { a: '1' } }, ({ isHeader }) => isHeader),
    {
      body: 'b',
      headers: { a: hiddenValue },
    },
  );
});
