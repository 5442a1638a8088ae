import test from 'ava';
import fc from 'fast-check';
import {
  decideQuarantines,
  hasReturned,
  hasReturnedForAll,
  isFaulty,
  isFaultyForAll,
  type RegionTally,
} from '#control-plane/monitoring/verdicts/region-tally.ts';

/** `down` of a number of monitors newly disagree, each on a host of its own. */
function tallyOf(down: number, monitors: number, changes: Partial<RegionTally> = {}): RegionTally {
  const counts = { newlyDisagreeing: down, newlyDisagreeingHosts: down, disagreeing: down, good: monitors - down };
  return { region: 'r', projectId: 'p', monitors, able: monitors, ...counts, ...changes };
}

for (const [newlyDisagreeing, monitors, expected] of [
  [0, 0, false],
  [19, 19, false],
  [20, 20, true],
  [20, 39, true],
  [20, 40, false],
  [21, 40, true],
  [50, 100, false],
  [51, 100, true],
  [5000, 10_000, false],
  [5001, 10_000, true],
] as const) {
  const is = expected ? 'is' : 'is not';
  test(`a region with ${newlyDisagreeing} of ${monitors} monitors newly disagreeing ${is} faulty`, t => {
    t.is(isFaulty(tallyOf(newlyDisagreeing, monitors)), expected);
  });
}

test('monitors that disagree for longer than the window do not make a region faulty', t => {
  t.false(isFaulty({ ...tallyOf(19, 100), disagreeing: 100, good: 0 }));
});

for (const [disagreeing, good, monitors, expected, able = monitors] of [
  [0, 0, 0, false],
  [0, 1, 1, true],
  [0, 50, 100, false],
  [0, 51, 100, true],
  [10, 51, 100, true],
  [11, 89, 100, false],
  [0, 0, 100, false],
  [2, 18, 20, true],
  [3, 17, 20, false],
  [0, 30, 100, true, 59],
  [0, 30, 100, false, 60],
  [0, 0, 100, false, 0],
] as [number, number, number, boolean, number?][]) {
  const has = expected ? 'has' : 'has not';
  const counts = `${good} good and ${disagreeing} disagreeing of ${monitors} monitors, ${able} of which it can run,`;
  test(`a region with ${counts} ${has} returned`, t => {
    t.is(hasReturned({ monitors, able, newlyDisagreeing: 0, newlyDisagreeingHosts: 0, disagreeing, good }), expected);
  });
}

const tally = fc.nat({ max: 500 }).chain(monitors =>
  fc.nat({ max: monitors }).chain(disagreeing =>
    fc.record({
      monitors: fc.constant(monitors),
      able: fc.nat({ max: monitors }),
      disagreeing: fc.constant(disagreeing),
      newlyDisagreeing: fc.nat({ max: disagreeing }),
      newlyDisagreeingHosts: fc.nat({ max: disagreeing }),
      good: fc.nat({ max: monitors - disagreeing }),
    }),
  ),
);

test('no region is faulty and returned at once, so that a quarantine does not flap', t => {
  fc.assert(fc.property(tally, counts => !(isFaulty(counts) && hasReturned(counts))));
  t.pass();
});

test('one more disagreeing monitor never ends a fault, and one more good monitor never ends an agreement', t => {
  fc.assert(
    fc.property(tally, counts => {
      const worse = { ...counts, newlyDisagreeing: counts.newlyDisagreeing + 1, disagreeing: counts.disagreeing + 1 };
      const better = { ...counts, good: counts.good + 1 };
      return (!isFaulty(counts) || isFaulty(worse)) && (!hasReturned(counts) || hasReturned(better));
    }),
  );
  t.pass();
});

for (const [hosts, expected] of [
  [9, false],
  [10, true],
] as const) {
  test(`20 monitors on ${hosts} hosts ${expected ? 'are' : 'are not'} enough for a fault`, t => {
    t.is(isFaulty(tallyOf(20, 20, { newlyDisagreeingHosts: hosts })), expected);
  });
}

const sees = tallyOf(7, 10);
const agrees = tallyOf(0, 10);
for (const [title, tallies, expected] of [
  ['three of three projects', [sees, sees, sees], true],
  ['three of five projects', [sees, sees, sees, agrees, agrees], true],
  ['three of six projects', [sees, sees, sees, agrees, agrees, agrees], false],
  ['two of two projects, however many monitors they have', [tallyOf(900, 900), tallyOf(900, 900)], false],
  ['one project with most of the monitors', [tallyOf(5000, 5000), agrees, agrees], false],
  ['three projects with 18 monitors', [tallyOf(6, 6), tallyOf(6, 6), tallyOf(6, 6)], false],
] as const) {
  test(`what ${title} see ${expected ? 'mutes' : 'does not mute'} the region for all`, t => {
    t.is(isFaultyForAll(tallies), expected);
  });
}

const many = (count: number, tally: RegionTally) => Array.from({ length: count }, () => tally);
const silent = tallyOf(0, 10, { good: 0 });
const differs = tallyOf(2, 10);
for (const [title, tallies, expected] of [
  ['nobody', [], false],
  ['two of three agree, one is undecided', [agrees, agrees, tallyOf(2, 10, { good: 5 })], true],
  ['two of three agree, one sees most fail', [agrees, agrees, sees], true],
  ['eight of nine agree, one has a single monitor that fails', [...many(8, agrees), tallyOf(1, 1)], true],
  ['seven of nine agree, two see most fail', [...many(7, agrees), ...many(2, sees)], true],
  ['six of nine agree, three see most fail', [...many(6, agrees), ...many(3, sees)], false],
  ['27 of 30 agree, three see most fail', [...many(27, agrees), ...many(3, sees)], true],
  ['five of nine agree, four see some fail', [...many(5, agrees), ...many(4, differs)], true],
  ['four of nine agree, five see some fail', [...many(4, agrees), ...many(5, differs)], false],
  ['one agrees, one sees most fail', [agrees, sees], true],
  ['one sees most fail', [sees], false],
  ['four of nine agree, the others are silent', [...many(4, agrees), ...many(5, silent)], false],
  ['one agrees, one is silent', [agrees, silent], false],
  ['one agrees, of two the region can run nothing', [agrees, ...many(2, { ...silent, able: 0 })], true],
] as const) {
  test(`a quarantine for all ${expected ? 'ends' : 'lasts'} where ${title}`, t => {
    t.is(hasReturnedForAll(tallies), expected);
  });
}

test('two projects, whatever they see, do not keep a quarantine for all that three others see end', t => {
  const others = fc.array(tally, { maxLength: 2 });
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 12 }), others, (count, two) =>
      hasReturnedForAll([...many(count, agrees), ...two]),
    ),
  );
  t.pass();
});

test('a project that agrees instead of another opinion never prolongs a quarantine for all', t => {
  fc.assert(
    fc.property(fc.array(tally, { minLength: 1, maxLength: 12 }), all => {
      return !hasReturnedForAll(all) || hasReturnedForAll([agrees, ...all.slice(1)]);
    }),
  );
  t.pass();
});

test('one project mutes the region for itself, and is heard again by its own monitors', t => {
  const noisy = tallyOf(30, 30, { projectId: 'noisy' });
  const quiet = tallyOf(0, 10, { projectId: 'quiet' });
  const own = { region: 'r', projectId: 'noisy' };
  t.deepEqual(decideQuarantines([noisy, quiet], []), { started: [own], ended: [] });
  t.deepEqual(decideQuarantines([noisy, quiet], [own]), { started: [], ended: [] });
  t.deepEqual(decideQuarantines([{ ...quiet, projectId: 'noisy' }, quiet], [own]), { started: [], ended: [own] });
});

test('no quarantine starts and ends at once, in no scope', t => {
  const tallies = fc.uniqueArray(
    fc
      .tuple(tally, fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
      .map(([counts, projectId]) => ({ region: 'r', projectId, ...counts })),
    { maxLength: 6, selector: ({ projectId }) => projectId },
  );
  fc.assert(
    fc.property(tallies, all => {
      const { started } = decideQuarantines(all, []);
      return decideQuarantines(all, started).ended.length === 0;
    }),
  );
  t.pass();
});
