import test from 'ava';
import { jsonOf } from '#control-plane/web/browser-client/client/json.ts';

const foreign = {
  configurable: true,
  value: () => 'foreign',
};

/** Without a wait in between, so that no other test of this thread sees them. */
function withForeign(prototypes: readonly object[], run: () => string): string {
  const before = prototypes.map(prototype => Object.getOwnPropertyDescriptor(prototype, 'toJSON'));
  for (const prototype of prototypes) Object.defineProperty(prototype, 'toJSON', foreign);
  try {
    return run();
  } finally {
    prototypes.forEach((prototype, index) => {
      const descriptor = before[index];
      if (descriptor === undefined) Reflect.deleteProperty(prototype, 'toJSON');
      else Object.defineProperty(prototype, 'toJSON', descriptor);
    });
  }
}

class Money {
  toJSON() {
    return { cents: [1, 2] };
  }
}

const values: unknown[] = [
  [[1, 'a', null], [], {}],
  { a: { b: [new Date(0)] }, undefined: undefined, run: () => 1, never: new Date(Number.NaN) },
  { url: new URL('https://shop.example/a'), money: new Money(), own: { toJSON: () => [1, { a: 2 }] } },
  'text',
  null,
  [undefined, Number.NaN, true, Object.create(null)],
];
for (const value of values)
  test(`what other libraries add to lists, dates and objects does not change ${JSON.stringify(value)}`, t => {
    const plain = JSON.stringify(value);
    t.is(jsonOf(value), plain);
    t.is(
      withForeign([Array.prototype, Date.prototype, Object.prototype], () => jsonOf(value)),
      plain,
    );
  });

test('what JSON cannot have is refused', t => {
  const loop: Record<string, unknown> = {};
  loop.loop = loop;
  t.throws(() => jsonOf(loop));
  t.throws(() => jsonOf({ n: 1n }));
});
