import test from 'ava';
import fc from 'fast-check';
import { requireJsonSize, sizeOfJson } from '#control-plane/platform/http/bodies/json-size.ts';
import { Problem } from '#control-plane/platform/http/problem.ts';

const unlimited = { values: Number.POSITIVE_INFINITY, names: Number.POSITIVE_INFINITY };
const sizeOf = (text: string) => sizeOfJson(Buffer.from(text), unlimited);

function valuesIn(value: unknown): { values: number; names: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, names: 0 };
  const within = Object.values(value).map(valuesIn);
  const names = Array.isArray(value) ? 0 : within.length;
  return {
    values: within.reduce((sum, item) => sum + item.values, 1),
    names: within.reduce((sum, item) => sum + item.names, names),
  };
}

test('what is counted is never less than what JSON holds, and hardly more', t => {
  const property = fc.property(fc.json(), text => {
    const [counted, held] = [sizeOf(text), valuesIn(JSON.parse(text))];
    return counted.names >= held.names && counted.values >= held.values && counted.values <= 2 * held.values;
  });
  t.notThrows(() => fc.assert(property));
});

test('commas, brackets and colons in texts do not count', t => {
  for (const text of [',[{:', '\\",[', '\\\\', '"', ''])
    t.deepEqual(sizeOf(JSON.stringify(text)), { values: 1, names: 0 });
  t.deepEqual(sizeOf('{"a,":"[\\"{:","b":[1,2]}'), { values: 5, names: 2 });
  t.deepEqual(sizeOf('["unfinished,,,'), { values: 2, names: 0 });
});

test('counting ends beyond the limit, and names it', t => {
  const limits = { values: 10, names: 3 };
  const lists = sizeOfJson(Buffer.from('[],'.repeat(1000)), limits);
  t.deepEqual(lists, { values: 11, names: 0 });
  const names = sizeOfJson(Buffer.from('"a":'.repeat(1000)), limits);
  t.deepEqual(names, { values: 1, names: 4 });
  const refuse = (size: typeof lists) =>
    t.throws(() => requireJsonSize(size, limits, 'payload_too_large'), { instanceOf: Problem });
  t.is(refuse(lists)?.details.detail, 'the body has more than 10 values');
  t.is(refuse(names)?.details.detail, 'the body has more than 3 fields');
  t.notThrows(() => requireJsonSize({ values: 10, names: 3 }, limits, 'payload_too_large'));
});
