import test from 'ava';
import fc from 'fast-check';
import { assertionSchema } from '#shared/assertions/assertion.ts';
import { describeExpectation, showValue } from '#shared/assertions/describe.ts';
import type { Json } from '#shared/assertions/json-path.ts';

const expectations: [fields: Record<string, unknown>, text: string][] = [
  [{ type: 'status', operator: 'eq', value: 200 }, 'status eq 200'],
  [{ type: 'status', operator: 'in', value: [200, '300-399'] }, 'status in [200,"300-399"]'],
  [{ type: 'body_contains', value: 'a "b"' }, 'body contains "a \\"b\\""'],
  [{ type: 'body_contains', operator: 'not_contains', value: 'x' }, 'body not_contains "x"'],
  [{ type: 'header', name: 'X-A', operator: 'eq', value: 'b' }, 'header X-A eq "b"'],
  [{ type: 'header', name: 'x-a', operator: 'exists' }, 'header x-a exists'],
  [{ type: 'json_path', path: '$.a', operator: 'eq', value: null }, '$.a eq null'],
  [{ type: 'json_path', path: '$.a[0]', operator: 'not_exists' }, '$.a[0] not_exists'],
  [{ type: 'latency_p95', operator: 'lt', value_ms: 300 }, 'p95 latency lt 300 ms over 10 min'],
];
for (const [fields, text] of expectations)
  test(`an expectation reads "${text}"`, t => {
    t.is(describeExpectation(assertionSchema.parse(fields)), text);
  });

test('a long expectation is cut at 256 characters', t => {
  const assertion = assertionSchema.parse({ type: 'body_contains', value: 'x'.repeat(1000) });
  const text = describeExpectation(assertion);
  t.is(text.length, 256);
  t.true(text.startsWith('body contains "xxx') && text.endsWith('x…'));
});

const shown: [value: Json | undefined, text: string | null][] = [
  [undefined, null],
  [null, 'null'],
  [3, '3'],
  ['text', 'text'],
  ['', ''],
  [false, 'false'],
  [[1, 'a'], '[1,"a"]'],
  [{ a: 1 }, '{"a":1}'],
];
for (const [value, text] of shown)
  test(`the value ${JSON.stringify(value)} is shown as ${text}`, t => {
    t.is(showValue(value), text);
  });

test('a value of 256 characters is shown in full, a longer one is cut', t => {
  t.is(showValue('x'.repeat(256)), 'x'.repeat(256));
  t.is(showValue('x'.repeat(257)), `${'x'.repeat(255)}…`);
});

test('a cut in the middle of a surrogate pair leaves well-formed text', t => {
  const text = showValue(`${'x'.repeat(254)}😀😀`) ?? '';
  t.true(text.isWellFormed());
  t.is(text, `${'x'.repeat(254)}\uFFFD…`);
});

test('any value is shown as the beginning of its JSON', t => {
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(fc.array(json, { size: 'large' }), values => {
      const whole = JSON.stringify(values);
      t.is(showValue(values), whole.length <= 256 ? whole : `${whole.slice(0, 255).toWellFormed()}…`);
    }),
  );
});

test('a value that is nested too deeply for JSON.stringify is shown', t => {
  const [lists, objects] = ['['.repeat(20_000), '{"a":'.repeat(20_000)];
  t.is(showValue(JSON.parse(`${lists}${']'.repeat(20_000)}`)), `${'['.repeat(255)}…`);
  t.is(showValue(JSON.parse(`${objects}1${'}'.repeat(20_000)}`)), `${objects.slice(0, 255)}…`);
});
