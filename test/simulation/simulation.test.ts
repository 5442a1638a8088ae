import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { isFull } from '#test/support/full.ts';
import { type Mutation, mutations } from './mutation.ts';
import { planScenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

/** `npm run chaos -- R15` has a thousand. Every mutation below is noticed within fewer than these. */
const seeds = isFull ? 1000 : 100;
/** A test of fewer ends in time on a busy machine, too. */
const seedsOfTest = 50;
const seedsOfMutation = 200;

for (let first = 1; first <= seeds; first += seedsOfTest)
  test.serial(`in worlds of faults ${first} to ${first + seedsOfTest - 1} every promise is kept`, async t => {
    for (let seed = first; seed < first + seedsOfTest; seed++) {
      const { violation } = await simulate(planScenario(seed));
      if (violation !== null)
        return t.fail(`seed ${seed}: ${violation}\nnpm run chaos -- R15 with R15_SEED=${seed} tells more`);
      // Other tests have their turn, and reports are sent.
      await setImmediate();
    }
    t.pass();
  });

/** Each showed a fault of the product that the first thousand do not. */
const once = [24_771, 61_020, 73_047, 74_718, 77_499, 104_477, 115_447];

test('worlds that once broke a promise keep it', async t => {
  for (const seed of once) {
    const { violation } = await simulate(planScenario(seed));
    t.is(violation, null, `seed ${seed}`);
  }
});

test('a seed always gives the same course', async t => {
  const courseOf = async (seed: number) => {
    const lines: string[] = [];
    await simulate(planScenario(seed), { trace: line => lines.push(line) });
    return lines;
  };
  for (const seed of [3, 8, 19]) {
    const course = await courseOf(seed);
    t.deepEqual(await courseOf(seed), course);
    t.true(course.length > 100);
  }
});

/** The first that notice a mutation, where it is none of the first six: they are tried before the others. */
const noticing: Partial<Record<Mutation, number>> = {
  'sequence in a transaction of its own': 15,
  'replay does not look whether anything changed': 17,
  'replay takes warnings for good': 25,
  'replay knows no quarantines': 43,
  'fact handled outside its transaction': 20,
  'deadlines go on while nobody takes signals': 23,
  'deadlines are judged while signals wait': 14,
};

for (const mutation of mutations)
  test(`the simulation notices: ${mutation}`, async t => {
    const all = Array.from({ length: seedsOfMutation }, (_, index) => index + 1);
    for (const seed of [noticing[mutation] ?? 1, ...all]) {
      const { violation } = await simulate(planScenario(seed), { mutation });
      if (violation !== null) return t.pass();
      await setImmediate();
    }
    t.fail(`not within ${seedsOfMutation} seeds`);
  });

test('a failing scenario shrinks to the faults that matter', async t => {
  const mutation = 'acknowledge before the commit';
  for (let seed = 1; ; seed++) {
    const scenario = planScenario(seed);
    if (scenario.faults.length < 3 || (await simulate(scenario, { mutation })).violation === null) continue;
    const smallest = await shrink(scenario, mutation);
    t.true(smallest.faults.length < scenario.faults.length);
    t.not((await simulate(smallest, { mutation })).violation, null);
    return;
  }
});
