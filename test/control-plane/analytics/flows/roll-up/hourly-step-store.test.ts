import test from 'ava';
import { compareKeys, type HourlyStep } from '#control-plane/analytics/flows/roll-up/hourly-step.ts';
import {
  deleteEmptySteps,
  deleteHourlySteps,
  findLastHours,
  listHourlySteps,
  listRolledUpHours,
  saveHourlySteps,
} from '#control-plane/analytics/flows/roll-up/hourly-step-store.ts';
import { hourMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { openFlowWorld } from '#test/support/flow-world.ts';

const databaseOf = useDatabase(test);
const at = (hour: number) => Date.UTC(2026, 10, 2) + hour * hourMs;
const stepOf = (hour: number, releaseId: string, step: number, ...users: number[]): HourlyStep => ({
  hour: at(hour),
  releaseId,
  step,
  users: { kind: 'exact', users: new Set(users) },
});
const steps = [
  stepOf(1, '', 1, 5, 6),
  stepOf(1, '', 2, 6),
  stepOf(1, 'rel_a', 1, 7),
  stepOf(3, 'rel_a', 1, 8),
  stepOf(4, 'rel_b', 1),
];

async function openSteps(t: Parameters<typeof openFlowWorld>[0]) {
  const world = await openFlowWorld(t, databaseOf());
  await saveHourlySteps(world.sql, world.version, steps.toReversed());
  const list = async (fromHour = 0, toHour = 24, releaseId: string | null = null) =>
    (await listHourlySteps(world.sql, world.version, at(fromHour), at(toHour), releaseId)).sort(compareKeys);
  return { ...world, list };
}

test('steps are read back by their hours and their release', async t => {
  const { list } = await openSteps(t);
  t.deepEqual(await list(), steps);
  t.deepEqual(await list(1, 3), steps.slice(0, 3), 'the end is excluded');
  t.deepEqual(await list(0, 24, 'rel_a'), steps.slice(2, 4));
  t.deepEqual(await list(0, 24, ''), steps.slice(0, 2), 'entries before the first release');
  t.deepEqual(await list(5, 24), []);
});

test('a step that is saved again is replaced', async t => {
  const { sql, version, list } = await openSteps(t);
  await saveHourlySteps(sql, version, [stepOf(3, 'rel_a', 1, 9)]);
  t.deepEqual(await list(3, 4), [stepOf(3, 'rel_a', 1, 9)]);
});

test('more steps than one statement inserts are saved too', async t => {
  const { sql, version, list } = await openSteps(t);
  const many = Array.from({ length: 501 }, (_, index) => stepOf(10, `rel_${String(index).padStart(3, '0')}`, 1, index));
  await saveHourlySteps(sql, version, many);
  t.deepEqual(await list(10, 11), many);
});

test('hours with steps, and the last one of each release', async t => {
  const { sql, version } = await openSteps(t);
  const hours = await listRolledUpHours(sql, version, at(0), at(4));
  t.deepEqual(hours.sort(), [at(1), at(3)]);
  const lasts = await findLastHours(sql, version, at(0), at(4));
  t.deepEqual(
    new Map(lasts),
    new Map([
      ['', at(1)],
      ['rel_a', at(3)],
    ]),
  );
});

test('hours are deleted whole; of emptied hours only the empty steps', async t => {
  const { sql, version, list } = await openSteps(t);
  await deleteEmptySteps(sql, version, [at(1), at(4)]);
  t.deepEqual(await list(), steps.slice(0, 4));
  await deleteHourlySteps(sql, version, [at(1)]);
  t.deepEqual(await list(), steps.slice(3, 4));
  await deleteHourlySteps(sql, version, []);
  t.is((await list()).length, 1);
});
