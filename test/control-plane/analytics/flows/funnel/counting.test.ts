import test from 'ava';
import fc from 'fast-check';
import { type CountingRule, depthsOf, type StepEvent } from '#control-plane/analytics/flows/funnel/counting.ts';

const whole = () => 0;
const depth = (events: readonly StepEvent[], rule: CountingRule) => depthsOf(events, rule, whole).get(0) ?? 0;
const [a, b, c] = [1, 2, 4];
const at = (...pairs: [number, number][]): StepEvent[] => pairs.map(([atMs, steps]) => ({ atMs, steps }));
const ordered: CountingRule = { steps: 3, windowMs: 10, strict: false };
const strict: CountingRule = { ...ordered, strict: true };

const cases: [title: string, rule: CountingRule, events: StepEvent[], expected: number][] = [
  ['nothing', ordered, [], 0],
  ['no entry', ordered, at([0, b], [1, c]), 0],
  ['all in order', ordered, at([0, a], [1, b], [2, c]), 3],
  ['others between', ordered, at([0, a], [1, 0], [2, b], [3, a], [4, c]), 3],
  ['out of order', ordered, at([0, a], [1, c], [2, b]), 2],
  ['the window ends exactly', ordered, at([0, a], [5, b], [10, c]), 3],
  ['a millisecond after the window', ordered, at([0, a], [5, b], [11, c]), 2],
  ['the window counts from the entry, not from the step before', ordered, at([0, a], [9, b], [15, c]), 2],
  ['a later entry counts as well', ordered, at([0, a], [8, a], [9, b], [18, c]), 3],
  ['a later entry without its own second step does not', ordered, at([0, a], [5, b], [8, a], [12, c]), 2],
  ['one instant in either order', ordered, at([0, c], [0, b], [0, a]), 3],
  ['the same event is not two steps', ordered, at([0, a | b]), 1],
  ['two events of one instant are', ordered, at([0, a | b], [0, a | b]), 2],
  ['the event that fits both leaves the other its own', ordered, at([0, a], [1, b | c], [1, b]), 3],
  ['strict: adjacent', strict, at([0, a], [1, b], [2, c]), 3],
  ['strict: another between', strict, at([0, a], [1, 0], [2, b], [3, c]), 1],
  ['strict: a repeated entry starts again', strict, at([0, a], [1, a], [2, b], [3, c]), 3],
  ['strict: before the entry is not between', strict, at([0, 0], [1, a], [1, 0], [2, b]), 2],
  ['strict: after the last step is not between', strict, at([0, a], [1, b], [1, 0], [2, c]), 2],
];

for (const [title, rule, events, expected] of cases) test(title, t => t.is(depth(events, rule), expected));

test('entries outside of the bucket do not count, their later steps do', t => {
  const bucketOf = (atMs: number) => (atMs < 100 ? null : Math.floor(atMs / 100));
  const events = at([90, a], [95, a], [105, b], [199, a], [201, b], [205, a], [206, c]);
  t.deepEqual(
    [...depthsOf(events, ordered, bucketOf)],
    [
      [1, 3],
      [2, 1],
    ],
  );
});

for (const isStrict of [false, true]) {
  test(`${isStrict ? 'strict' : 'ordered'} counting agrees with trying everything, 40,000 times`, t => {
    const event = fc.record({ atMs: fc.integer({ min: 0, max: 6 }), steps: fc.integer({ min: 0, max: 7 }) });
    const history = fc.record({
      events: fc.array(event, { maxLength: 6 }),
      rule: fc.record({
        steps: fc.integer({ min: 2, max: 3 }),
        windowMs: fc.integer({ min: 0, max: 6 }),
        strict: fc.constant(isStrict),
      }),
      from: fc.integer({ min: 0, max: 3 }),
      to: fc.integer({ min: 3, max: 7 }),
    });
    fc.assert(
      fc.property(history, ({ events, rule, from, to }) => {
        const sorted = events.toSorted((left, right) => left.atMs - right.atMs);
        const bucketOf = (atMs: number) => (atMs >= from && atMs < to ? 0 : null);
        const expected = tryEverything(sorted, rule, atMs => bucketOf(atMs) === 0);
        return (depthsOf(sorted, rule, bucketOf).get(0) ?? 0) === expected;
      }),
      { numRuns: 40_000 },
    );
    t.pass();
  });
}

/** Every order that time allows, every choice of events in it. */
function tryEverything(events: readonly StepEvent[], rule: CountingRule, enters: (atMs: number) => boolean): number {
  let best = 0;
  for (const order of ordersOf(events)) {
    for (const [start, entry] of order.entries()) {
      if ((entry.steps & 1) === 0 || !enters(entry.atMs)) continue;
      best = Math.max(best, follow(order, start, 1, entry.atMs, rule));
      if (best === rule.steps) return best;
    }
  }
  return best;
}

function follow(order: readonly StepEvent[], last: number, done: number, entryMs: number, rule: CountingRule): number {
  let best = done;
  if (done === rule.steps) return best;
  const end = rule.strict ? Math.min(order.length, last + 2) : order.length;
  for (let next = last + 1; next < end; next++) {
    const event = order[next];
    if (event === undefined || ((event.steps >> done) & 1) === 0 || event.atMs > entryMs + rule.windowMs) continue;
    best = Math.max(best, follow(order, next, done + 1, entryMs, rule));
  }
  return best;
}

function* ordersOf(events: readonly StepEvent[]): Generator<StepEvent[]> {
  const firstMs = events[0]?.atMs;
  if (firstMs === undefined) return void (yield []);
  for (const [index, event] of events.entries()) {
    if (event.atMs !== firstMs) break;
    for (const rest of ordersOf(events.toSpliced(index, 1))) yield [event, ...rest];
  }
}
