import test from 'ava';
import { z } from 'zod';
import { monitorPostSchema } from '#control-plane/monitoring/monitors/monitor.ts';
import { cutLists } from '#control-plane/platform/http/bodies/cut-lists.ts';
import { parseBody } from '#control-plane/platform/http/bodies/parse-body.ts';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { timesAsLong } from '#test/support/thread-time.ts';

const list = (max: number) => z.array(z.string()).max(max);
const schema = z.object({
  plain: list(2).optional(),
  nested: z
    .array(z.object({ list: list(1).default([]) }))
    .max(3)
    .superRefine(() => {}),
  either: z.union([z.string(), list(2)]).nullable(),
  named: z.discriminatedUnion('type', [
    z.object({ type: z.literal('long'), list: list(5) }),
    z.object({ type: z.literal('short'), list: list(1) }),
  ]),
});

test('a list that is too long is cut to one more than its maximum, at every depth', t => {
  const long = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const value = {
    plain: long,
    nested: [{ list: long }, {}, 1, {}, {}],
    either: long,
    named: { type: 'short', list: long },
  };
  t.deepEqual(cutLists(schema, value), {
    plain: ['a', 'b', 'c'],
    nested: [{ list: ['a', 'b'] }, {}, 1, {}],
    either: ['a', 'b', 'c'],
    named: { type: 'short', list: ['a', 'b'] },
  });
  t.like(cutLists(schema, { named: { type: 'long', list: long } }), {
    named: { list: ['a', 'b', 'c', 'd', 'e', 'f'] },
  });
});

test('a value without such a list is the same value, whatever it is', t => {
  const fitting = {
    plain: ['a'],
    nested: [{ list: ['a'] }],
    either: 'a',
    named: { type: 'long', list: ['a'] },
    other: [1, 2, 3],
  };
  for (const value of [
    fitting,
    {},
    [],
    null,
    1,
    'a',
    { nested: {}, plain: null, named: { type: 'other' }, __proto__: null },
  ])
    t.is(cutLists(schema, value), value);
});

test('a monitor with ten thousand assertions is refused for their number, at the cost of a few', async t => {
  const tenTimes = async (count: number) => {
    const body = { url: 'https://shop.example', assertions: Array.from({ length: count }, () => ({})) };
    for (let round = 0; round < 10; round++) {
      const refused = await t.throwsAsync(parseBody(monitorPostSchema, body), { instanceOf: Problem });
      t.true((refused.details.errors?.length ?? 0) > 0);
    }
  };
  const times = await timesAsLong(
    20,
    () => tenTimes(30),
    () => tenTimes(10_000),
  );
  // To its end it would be three hundred times as long.
  t.true(times < 20, `${times} times as long`);
});
