import test from 'ava';
import fc from 'fast-check';
import { createPlaces, type Share } from '#control-plane/notifications/places.ts';

const share: Share = { places: 8, placesPerProject: 4, claimedPerProject: 6, backsOff: true };

type Job = { project: string; start: boolean; end: () => void };

/** Places on a clock of their own, and attempts that end when they are told to. */
function openPlaces(settings = share) {
  const state = { now: 0, freed: 0 };
  const places = createPlaces(
    settings,
    () => {
      state.freed += 1;
    },
    () => state.now,
  );
  const jobs: Job[] = [];
  const add = (project: string, more = false) => {
    const ended = Promise.withResolvers<void>();
    const job = { project, start: false, end: ended.resolve };
    jobs.push(job);
    const attempt = () => {
      job.start = true;
      return ended.promise;
    };
    return { job, done: places.run(project, attempt, async () => more) };
  };
  const running = (project: string) => jobs.filter(job => job.project === project && job.start).length;
  return { places, state, add, running };
}

test('a project has at most its places, whatever it claimed, and others have theirs', async t => {
  const { places, add, running } = openPlaces();
  const claims = [...Array(6).fill('a'), ...Array(6).fill('b')].map(project => add(project));
  await Promise.resolve();
  t.deepEqual([running('a'), running('b'), places.free()], [4, 4, 0]);
  t.deepEqual(places.rooms(), [
    { project_id: 'a', room: 0 },
    { project_id: 'b', room: 0 },
  ]);
  for (const { job } of claims) job.end();
  await Promise.all(claims.map(({ done }) => done));
  t.deepEqual([places.free(), places.rooms()], [12, []]);
  await places.idle();
});

test('after a slow attempt a project has one place for a minute', async t => {
  const { places, state, add } = openPlaces();
  const slow = add('a');
  state.now = 5000;
  slow.job.end();
  await slow.done;
  t.deepEqual(places.rooms(), [{ project_id: 'a', room: 1 }]);
  state.now = 65_000;
  const quick = add('a');
  quick.job.end();
  await quick.done;
  t.deepEqual(places.rooms(), []);
  const ours = openPlaces({ ...share, backsOff: false });
  const first = ours.add('a');
  ours.state.now = 20_000;
  first.job.end();
  await first.done;
  t.deepEqual(ours.places.rooms(), []);
});

test('there is reason to claim when a recipient has more, or half of what a project may claim is free', async t => {
  const { state, add } = openPlaces({ ...share, places: 80 });
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
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 30 }),
      async runs => {
        const places = createPlaces(share, () => {});
        const before = places.free();
        const failing = async () => {
          throw new Error('a failure');
        };
        await Promise.allSettled(
          runs.map(([project, fails]) => places.run(project, fails ? failing : async () => {}, async () => false)),
        );
        return places.free() === before;
      },
    ),
    { numRuns: 50 },
  );
  t.pass();
});
