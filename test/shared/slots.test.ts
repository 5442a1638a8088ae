import test from 'ava';
import fc from 'fast-check';
import { nextSlot, offsetMs, slotsBetween } from '#shared/slots.ts';

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const schedule = fc
  .integer({ min: 1, max: 86_400_000 })
  .chain(interval => fc.tuple(fc.constant(interval), fc.integer({ min: 0, max: interval - 1 })));

test('the next slot lies after the instant, at most one interval away, and on the grid', t => {
  fc.assert(
    fc.property(instant, schedule, (after, [interval, offset]) => {
      const slot = nextSlot(after, interval, offset);
      return slot > after && slot - after <= interval && (slot - offset) % interval === 0;
    }),
  );
  t.pass();
});

test('walking from slot to slot meets as many slots as are counted between', t => {
  fc.assert(
    fc.property(instant, schedule, fc.integer({ min: 0, max: 50 }), (after, [interval, offset], steps) => {
      let slot = after;
      for (let step = 0; step < steps; step++) slot = nextSlot(slot, interval, offset);
      return slotsBetween(after, slot, interval, offset) === steps;
    }),
  );
  t.pass();
});

test('regions of a monitor follow each other by equal parts of the interval, in whatever order they are listed', t => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.integer({ min: 10_000, max: 86_400_000 }),
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 32 }),
      (id, interval, regions) => {
        const offsets = regions.map(region => offsetMs(id, interval, region, regions)).toSorted((a, b) => a - b);
        const turned = regions.map(region => offsetMs(id, interval, region, regions.toReversed()));
        const gaps = offsets.map((value, place) => (offsets[place + 1] ?? (offsets[0] ?? 0) + interval) - value);
        const part = interval / regions.length;
        return (
          gaps.every(gap => Math.abs(gap - part) <= 1) && turned.toSorted((a, b) => a - b).join() === offsets.join()
        );
      },
    ),
  );
  t.pass();
});
