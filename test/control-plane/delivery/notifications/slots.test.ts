import test from 'ava';
import fc from 'fast-check';
import { type Capacity, createSlots } from '#control-plane/delivery/notifications/slots.ts';

const slow = { slots: 6, slotsPerProject: 3 };
const capacity: Capacity = { slots: 8, slotsPerProject: 4, claimedPerProject: 6, slow };

type Job = { project: string; start: boolean; end: () => void };
type Waiting = { atMs: number; resolve: () => void };

/** Slots on a clock of their own, and attempts that end on command. */
function openSlots(settings = capacity) {
  const state = { now: 0, freed: 0 };
  const waiting = new Set<Waiting>();
  const wait = (ms: number, { signal }: { signal: AbortSignal }) =>
    new Promise<void>((resolve, reject) => {
      const timer = { atMs: state.now + ms, resolve };
      waiting.add(timer);
      signal.addEventListener('abort', () => {
        waiting.delete(timer);
        reject(signal.reason);
      });
    });
  const slots = createSlots(settings, () => state.freed++, { now: () => state.now, wait });
  const jobs: Job[] = [];
  const add = (project: string, more = false, recipient = `of ${project} ${jobs.length}`) => {
    const ended = Promise.withResolvers<void>();
    const job = { project, start: false, end: ended.resolve };
    jobs.push(job);
    const attempt = () => {
      job.start = true;
      return ended.promise;
    };
    return { job, done: slots.run({ project_id: project, recipient }, attempt, async () => more) };
  };
  const running = (project: string) => jobs.filter(job => job.project === project && job.start).length;
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    state.now += ms;
    for (const timer of waiting)
      if (timer.atMs <= state.now) {
        waiting.delete(timer);
        timer.resolve();
      }
    await settled();
  };
  return { slots, state, add, running, pass, settled };
}

test('a project has at most its slots, whatever it claimed, and others have theirs', async t => {
  const { slots, add, running, settled } = openSlots({ ...capacity, slow: null });
  const claims = [...Array(6).fill('a'), ...Array(6).fill('b')].map(project => add(project));
  await settled();
  t.deepEqual([running('a'), running('b'), slots.free()], [4, 4, 0]);
  t.deepEqual(slots.capacities(), [
    { project_id: 'a', capacity: 0 },
    { project_id: 'b', capacity: 0 },
  ]);
  for (const { job } of claims) job.end();
  await Promise.all(claims.map(({ done }) => done));
  t.deepEqual([slots.free(), slots.capacities()], [12, []]);
  await slots.idle();
});

test('an attempt that takes half a second leaves its slot to the next ones of its project', async t => {
  const { slots, state, add, running, pass, settled } = openSlots();
  const claims = Array.from({ length: 6 }, () => add('a'));
  await settled();
  t.is(running('a'), 4);
  await pass(499);
  t.is(running('a'), 4);
  const freed = state.freed;
  await pass(1);
  t.is(running('a'), 4, 'three of them went on elsewhere, and there is one slot for the others until they end');
  t.true(state.freed > freed);
  t.deepEqual(slots.capacities(), [{ project_id: 'a', capacity: 0 }]);
  const [first, ...others] = claims;
  first?.job.end();
  await first?.done;
  await settled();
  t.is(running('a'), 6);
  for (const { job } of others) job.end();
  await Promise.all(others.map(({ done }) => done));
  t.deepEqual([slots.free(), slots.capacities()], [12, []]);
});

test('a recipient that hung begins among the slow ones for a minute, or waits for a slot there', async t => {
  const { slots, state, add, running, pass, settled } = openSlots();
  const hung = add('a', false, 'hangs');
  await settled();
  await pass(500);
  await pass(5000);
  hung.job.end();
  await hung.done;
  t.deepEqual(slots.leftOut(), []);
  const again = add('a', false, 'hangs');
  await settled();
  t.deepEqual(
    slots.capacities(),
    [{ project_id: 'a', capacity: 6 }],
    'its attempt is in a slot for slow ones from the start',
  );
  const others = [add('a'), add('a')];
  await settled();
  await pass(500);
  t.deepEqual(slots.leftOut(), ['hangs'], 'all three are taken');
  t.is(running('a'), 4);
  state.now += 60_000;
  t.deepEqual(slots.leftOut(), [], 'forgotten');
  for (const { job } of [again, ...others]) job.end();
  await Promise.all([again, ...others].map(({ done }) => done));
});

test('one project cannot take all slots for slow attempts', async t => {
  const { add, running, pass, settled } = openSlots();
  const hostile = Array.from({ length: 12 }, () => add('a'));
  await settled();
  for (let turn = 0; turn < 10; turn++) await pass(500);
  t.is(running('a'), 4, 'three go on elsewhere, one has a slot');
  const other = add('b');
  await settled();
  t.is(running('b'), 1);
  await pass(500);
  for (const { job } of [...hostile, other]) job.end();
  await Promise.all([...hostile, other].map(({ done }) => done));
  t.pass();
});

test('there is reason to claim when a recipient has more, or half of what a project may claim is free', async t => {
  const { state, add } = openSlots({ ...capacity, slots: 80 });
  const claims = [true, false, false, false, false, false, false].map(more => add('a', more));
  const freed: number[] = [];
  for (const { job, done } of claims) {
    job.end();
    await done;
    freed.push(state.freed);
  }
  t.deepEqual(freed, [1, 1, 1, 2, 3, 4, 5]);
});

test('whatever ends in whatever order, no claim is lost and none counted twice', async t => {
  const kinds = fc.constantFrom('quick', 'fails', 'slow');
  const run = fc.tuple(fc.constantFrom('a', 'b', 'c'), kinds, fc.nat({ max: 5 }));
  await fc.assert(
    fc.asyncProperty(fc.array(run, { maxLength: 30 }), async runs => {
      const { slots, pass } = openSlots();
      const before = slots.free();
      const held = runs.map(() => Promise.withResolvers<void>());
      const attemptOf = (kind: string, index: number) => async () => {
        if (kind === 'fails') throw new Error('a failure');
        if (kind === 'slow') await held[index]?.promise;
      };
      const all = runs.map(([project_id, kind, recipient], index) =>
        slots.run({ project_id, recipient: `${recipient}` }, attemptOf(kind, index), async () => false),
      );
      const settledAll = Promise.allSettled(all);
      for (let turn = 0; turn < 12; turn++) await pass(700);
      for (const { resolve } of held) resolve();
      await settledAll;
      await slots.idle();
      return slots.free() === before && slots.capacities().length === 0;
    }),
    { numRuns: 50 },
  );
  t.pass();
});
