import test from 'ava';
import fc from 'fast-check';
import { nextSlot, offsetMs, phaseMs, slotsBetween } from '#shared/slots.ts';

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const schedule = fc
  .integer({ min: 1, max: 86_400_000 })
  .chain(interval => fc.tuple(fc.constant(interval), fc.integer({ min: 0, max: interval - 1 })));

test('the next slot is after the instant, at most one interval away, and at the offset', t => {
  fc.assert(
    fc.property(instant, schedule, (after, [interval, offset]) => {
      const slot = nextSlot(after, interval, offset);
      return slot > after && slot - after <= interval && (slot - offset) % interval === 0;
    }),
  );
  t.pass();
});

test('walking from slot to slot passes as many slots as slotsBetween counts', t => {
  fc.assert(
    fc.property(instant, schedule, fc.integer({ min: 0, max: 50 }), (after, [interval, offset], steps) => {
      let slot = after;
      for (let step = 0; step < steps; step++) slot = nextSlot(slot, interval, offset);
      return slotsBetween(after, slot, interval, offset) === steps;
    }),
  );
  t.pass();
});

test('the regions of a monitor are equal parts of the interval apart, in whatever order they are listed', t => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.integer({ min: 10_000, max: 86_400_000 }),
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 32 }),
      (id, interval, regions) => {
        const offsets = regions.map(region => offsetMs(id, interval, region, regions)).toSorted((a, b) => a - b);
        const turned = regions.map(region => offsetMs(id, interval, region, regions.toReversed()));
        const gaps = offsets.map((value, index) => (offsets[index + 1] ?? (offsets[0] ?? 0) + interval) - value);
        const part = interval / regions.length;
        return (
          gaps.every(gap => Math.abs(gap - part) <= 1) && turned.toSorted((a, b) => a - b).join() === offsets.join()
        );
      },
    ),
  );
  t.pass();
});

test('phases and offsets never change, so that a restart moves no slot', t => {
  t.is(phaseMs('mon_01jd5x7q3v8k2m4n6p9r0s1t2v', 60_000), 40654);
  const regions = ['eu', 'us', 'asia'];
  t.deepEqual(
    regions.map(region => offsetMs('mon_01jd5x7q3v8k2m4n6p9r0s1t2v', 60_000, region, regions)),
    [654, 20654, 40654],
  );
});

test('the phase is within the interval and depends on the monitor alone', t => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 86_400_000 }), (id, interval) => {
      const phase = phaseMs(id, interval);
      return Number.isInteger(phase) && phase >= 0 && phase < interval && phase === phaseMs(id, interval);
    }),
  );
  t.pass();
});

test('the phases of many monitors are spread evenly over the interval', t => {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let number = 0; number < 10_000; number++) {
    const tenth = Math.floor(phaseMs(`mon_${number}`, 60_000) / 6000);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  t.true(
    tenths.every(count => count > 850 && count < 1150),
    tenths.join(),
  );
});

test('a region that does not run the monitor has no offset', t => {
  t.throws(() => offsetMs('mon_a', 60_000, 'mars', ['eu', 'us']), { instanceOf: RangeError });
});

test('the only region of a monitor has the phase as its offset', t => {
  t.is(offsetMs('mon_a', 60_000, 'eu', ['eu']), phaseMs('mon_a', 60_000));
});

for (const [after, until, slots] of [
  [0, 0, 0],
  [0, 3000, 1],
  [0, 2999, 0],
  [3000, 3000, 0],
  [3000, 13_000, 1],
  [0, 100_000, 10],
  [5000, 0, 0],
] as const)
  test(`between ${after} and ${until} there are ${slots} slots of 10 s with an offset of 3 s`, t => {
    t.is(slotsBetween(after, until, 10_000, 3000), slots);
  });
