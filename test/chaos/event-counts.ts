import { isDeepStrictEqual } from 'node:util';
import { minuteMs, secondMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { until } from '../support/control-plane.ts';
import { type Counts, openCounted } from './harness/counted-events.ts';
import { startParts } from './harness/parts.ts';

const eventCount = { small: 30_000, full: 150_000 };
const killCount = { small: 4, full: 20 };
/** What is stored is counted within a minute. A worker that starts meanwhile takes some time, too. */
const countedMs = 3 * minuteMs;
/** A worker counts by its timers within this time. */
const afterMs = 25 * secondMs;
const target = { wrong: 0, notErased: 0 };

/**
 * R23: workers are killed amid what they count, amid a switch of `link_sessions`, and amid an erasure, with two fronts
 * that take events in. Then names, trends, breakdowns, retention and funnels equal brute force.
 */
export async function killUnderCounts(run: RowRun): Promise<Row> {
  const site = await openSite(run, { ROLES: 'front' });
  const parts = await startParts(site);
  const world = await openCounted(site, parts.fronts);
  const count = run.full ? eventCount.full : eventCount.small;
  let [kills, amid, wrong] = [0, 0, 0];
  const slowest: Record<string, number> = {};
  const whileKilled = async (what: string, act: () => Promise<unknown>, isLinked: boolean) => {
    run.progress(what);
    const ended = Promise.withResolvers<void>();
    const before = amid;
    const killing = parts.killWorkers(run, {
      everyMs: 2 * secondMs,
      moment: async worker => {
        if (await world.untilAtWork(worker, 10 * secondMs)) amid += 1;
        if (amid - before >= (run.full ? killCount.full : killCount.small)) ended.resolve();
      },
    });
    await act();
    await Promise.race([ended.promise, wait(run.full ? 5 * minuteMs : minuteMs)]);
    kills += await killing.stop();
    const startedAt = performance.now();
    wrong += await differencesOf(world, world.expected(isLinked), run);
    slowest[what] = round((performance.now() - startedAt) / 1000, 0);
  };
  await whileKilled('events are counted', () => world.send(count, 20), false);
  const linking = () => Promise.all([world.send(count / 3, 20), world.link()]);
  await whileKilled('sessions are linked', linking, true);
  let erasure = { id: '', count: 0 };
  await whileKilled(
    'a user is erased',
    async () => {
      erasure = await world.erase();
    },
    true,
  );
  const done = await until(
    () => world.erasure(erasure.id),
    ({ state }) => state === 'done',
    5 * minuteMs,
  );
  const notErased = erasure.count - done.events;
  await wait(afterMs);
  wrong += isDeepStrictEqual(await world.counts(), world.expected(true)) ? 0 : 1;
  return {
    name: 'R23',
    figure: { events: (count * 4) / 3, erased: done.events, kills, amid, wrong, notErased },
    target,
    pass: wrong === 0 && notErased === 0 && amid > 0,
    versions: await site.versions(),
    samples: { secondsToCount: slowest },
  };
}

/** How many reports still differ from brute force when everything must be counted. */
async function differencesOf(
  world: Awaited<ReturnType<typeof openCounted>>,
  expected: Counts,
  run: RowRun,
): Promise<number> {
  const untilMs = performance.now() + countedMs;
  for (;;) {
    const counts = await world.counts();
    const wrong = Object.keys(expected).filter(name => !isDeepStrictEqual(counts[name], expected[name]));
    if (wrong.length === 0) return 0;
    if (performance.now() > untilMs) {
      for (const name of wrong) run.progress(`${name}: ${JSON.stringify([counts[name], expected[name]])}`);
      return wrong.length;
    }
    await wait(secondMs);
  }
}
