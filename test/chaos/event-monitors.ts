import { minuteMs, secondMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import type { Row, RowRun } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { until } from '../support/control-plane.ts';
import { openMeasured } from './harness/measured-monitors.ts';
import { startParts } from './harness/parts.ts';

const windowMs = minuteMs;
const settleMs = 30 * secondMs;
const intervalMs = minuteMs;
/** Within which orders that stop are noticed, also by a worker that takes over from a killed one. */
const noticedMs = windowMs + settleMs + 2 * intervalMs;
const awayMs = { small: 3 * minuteMs, full: 10 * minuteMs };
const killedForMs = { small: 2 * minuteMs, full: 10 * minuteMs };
const target = { twice: 0, skipped: 0, noticedSeconds: noticedMs / 1000, alerts: 1, changed: 0, nightDown: 0 };

/**
 * R24: monitors of events on two fronts and two workers, of which one after the other is killed. Orders stop, come
 * again, and everything is away for a while, which nobody is called for.
 */
export async function killUnderMonitors(run: RowRun): Promise<Row> {
  const site = await openSite(run, { ROLES: 'front' });
  const parts = await startParts(site);
  const world = await openMeasured(run, site, parts.fronts, { windowMs, settleMs });
  await world.untilStatus('up');
  run.progress('orders come; workers are killed');
  const killing = parts.killWorkers(run);
  await wait(run.full ? killedForMs.full : killedForMs.small);
  const stoppedMs = world.stop();
  const alert = await until(world.alerts, ([first]) => first !== undefined, 2 * noticedMs);
  const noticedSeconds = Math.round((Date.now() - stoppedMs) / 1000);
  const kills = await killing.stop();
  run.progress(`noticed after ${noticedSeconds} s: ${alert[0]?.reason.summary}`);
  const changed = await sendLate(world, stoppedMs);
  world.sell();
  await world.untilStatus('up');
  const skipped = await world.skipped();
  run.progress('everything is away');
  await parts.killAll();
  await wait(run.full ? awayMs.full : awayMs.small);
  await parts.startAll();
  await world.untilGood(Date.now() + windowMs);
  const [alerts, twice, nightDown] = [await world.alerts(), await world.twice(), await world.nightDown()];
  const open = alerts.filter(({ resolved_at }) => resolved_at === null).length;
  return {
    name: 'R24',
    figure: { kills, noticedSeconds, alerts: alerts.length, open, twice, skipped, changed, nightDown },
    target,
    pass:
      [twice, skipped, changed, nightDown, open].every(count => count === 0) &&
      alerts.length === 1 &&
      noticedSeconds <= noticedMs / 1000,
    versions: await site.versions(),
    samples: { reason: alert[0]?.reason.summary, results: await world.results() },
  };
}

/** Sends orders of windows that were judged. Returns how many of their results this changed. */
async function sendLate(world: Awaited<ReturnType<typeof openMeasured>>, stoppedMs: number): Promise<number> {
  const judged = (results: readonly { at: number }[]) => (results[0]?.at ?? 0) > stoppedMs + windowMs + 10 * secondMs;
  const before = await until(world.results, judged, 2 * noticedMs);
  await world.sendLate(200, stoppedMs + 2 * secondMs);
  const isNext = (results: readonly { at: number }[]) => (results[0]?.at ?? 0) > (before[0]?.at ?? 0);
  const after = new Map((await until(world.results, isNext, 2 * noticedMs)).map(({ at, value }) => [at, value]));
  return before.filter(({ at, value }) => after.get(at) !== value).length + ((await world.isDown()) ? 0 : 1);
}
