import test from 'ava';
import fc from 'fast-check';
import { limits } from '#control-plane/analytics/events/event.ts';
import { inspectProps } from '#control-plane/analytics/events/props.ts';

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
const lists = (levels: number): unknown[] => (levels === 1 ? [] : [lists(levels - 1)]);
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, key) => [`k${key}`, key]));

const accepted: [title: string, props: object, json: string][] = [
  ['nothing', {}, '{}'],
  [
    'every kind of value',
    { a: null, b: true, c: 1.5, d: 'x', e: [1, ['y']] },
    '{"a":null,"b":true,"c":1.5,"d":"x","e":[1,["y"]]}',
  ],
  ['as many levels as allowed', nested(limits.depth), JSON.stringify(nested(limits.depth))],
  ['lists are levels too', { a: lists(limits.depth - 1) }, JSON.stringify({ a: lists(limits.depth - 1) })],
  ['as many keys as allowed', wide(limits.keys), JSON.stringify(wide(limits.keys))],
  ['a key named __proto__', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
];
for (const [title, props, json] of accepted)
  for (const unclean of [false, true])
    test(`accepted${unclean ? ' and cleaned' : ''}: ${title}`, t =>
      t.deepEqual(inspectProps(props, unclean), { json }));

const infinite = JSON.parse('1e400');
const refused: [title: string, props: object, at: string, code: string][] = [
  ['one level too many', nested(limits.depth + 1), '', 'too_long'],
  ['one level of lists too many', { a: lists(limits.depth) }, '', 'too_long'],
  ['one key too many', wide(limits.keys + 1), '', 'too_long'],
  ['one key too many, counted over all levels', { a: wide(limits.keys - 1), b: {} }, '', 'too_long'],
  ['a number beyond a double', { a: infinite }, '/a', 'out_of_range'],
  ['the pointer leads through lists', { a: [0, { b: infinite }] }, '/a/1/b', 'out_of_range'],
  ['special characters of a pointer are escaped', { 'a/b~c': -infinite }, '/a~1b~0c', 'out_of_range'],
  ['a long key is cut in the pointer', { ['k'.repeat(500)]: infinite }, `/${'k'.repeat(100)}`, 'out_of_range'],
];
for (const [title, props, at, code] of refused)
  test(`refused: ${title}`, t => t.like(inspectProps(props, false), { at, code }));

test('NUL and lone surrogates are replaced in texts and keys, and everything else stays', t => {
  const text = fc.string({ unit: fc.constantFrom('a', '\u0000', '\ud800', '\udc00', '😀', '"', '\\'), maxLength: 5 });
  const clean = (dirty: string) => dirty.toWellFormed().replaceAll('\u0000', '\ufffd');
  fc.assert(
    fc.property(text, text, (key, value) => {
      const inspected = inspectProps({ list: [value], object: { [key]: value } }, true);
      const expected = { list: [clean(value)], object: { [clean(key)]: clean(value) } };
      t.deepEqual(inspected, { json: JSON.stringify(expected) });
    }),
  );
});

test('any JSON object is either stored as it is or refused with a reason, however deep or wide', t => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 12 })), props => {
      const inspected = inspectProps(props, false);
      if ('json' in inspected) t.is(inspected.json, JSON.stringify(props));
      else t.true(inspected.detail.startsWith('must '));
    }),
    { numRuns: 500 },
  );
});
