import test from 'ava';
import { NodeSelector } from '#agent/select-nodes.ts';
import type { Json } from '#shared/assertions/json-path.ts';

const document: Json = { a: [1, 2, { b: 'x' }], 'odd name': true };

test('singular and other queries give the same values as the standard says', async t => {
  await using selector = new NodeSelector();
  t.deepEqual(await selector.select('$.a[0]', document), [1]);
  t.deepEqual(await selector.select("$['odd name']", document), [true]);
  t.deepEqual(await selector.select('$.a[*]', document), [1, 2, { b: 'x' }]);
  t.deepEqual(await selector.select('$..b', document), ['x']);
  t.deepEqual(await selector.select('$.a[?@.b == "x"].b', document), ['x']);
  t.deepEqual(await selector.select('$.a[5:]', document), []);
});

const large: Json = Array.from({ length: 3000 }, (_, place) => ({
  id: place,
  list: [1, 2, 3, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!'],
}));
const nasty = [
  '$..*[?@..*]..*',
  '$[?count(@..*) > 1][?count(@..*) > 1]',
  '$..[?@..[?@..*]]',
  '$[?search(@.list[3], "(a+)+$")]',
  '$[?match(@.list[3], "(a|a)*b")]',
  '$..[*,*,*,*]..[*,*,*,*]..[*,*,*,*]',
];

test('nasty queries end in time, the event loop stays free, and the next query is answered', async t => {
  await using selector = new NodeSelector();
  await selector.select('$..b', document);
  let longestMs = 0;
  let tickMs = performance.now();
  const ticker = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - tickMs);
    tickMs = performance.now();
  }, 5);
  for (const path of nasty) await selector.select(path, large).catch(() => null);
  clearInterval(ticker);
  t.true(longestMs < 150, `the event loop stood still for ${Math.round(longestMs)} ms`);
  t.deepEqual(await selector.select('$..b', document), ['x']);
});

test('a stopped selector rejects what waits', async t => {
  const selector = new NodeSelector();
  const waiting = selector.select('$..b', document);
  const rejected = t.throwsAsync(waiting, { message: 'stopped' });
  await selector[Symbol.asyncDispose]();
  await rejected;
});
