import test from 'ava';
import fc from 'fast-check';
import { postponeMinutes, takePostponedMinutes } from '#control-plane/analytics/flows/roll-up/postponed-store.ts';
import {
  findOldestPending,
  findOldestPendingOfAll,
  joinRanges,
  listDirtyHours,
  listProjectsWithWork,
  lockProject,
  markHours,
  type Reattribution,
  setFilled,
  takeDirtyHours,
  takePendingMinutes,
} from '#control-plane/analytics/flows/roll-up/queue-store.ts';
import { findVersion } from '#control-plane/analytics/flows/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { createDatabase } from '#test/support/database.ts';
import { type FlowWorld, openFlowWorld } from '#test/support/flow-world.ts';

const at = (hour: number, minute = 0) => Date.UTC(2026, 10, 2) + hour * hourMs + minute * minuteMs;

/** Of its own: what is pending is counted over all projects. */
async function openQueue(t: Parameters<typeof openFlowWorld>[0]): Promise<FlowWorld> {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const world = await openFlowWorld(t, database.url);
  await setFilled(world.sql, world.version, at(0), null);
  return world;
}

async function addPending(sql: Sql, projectId: string, arrivals: [minuteMs: number, arrivedMs: number][]) {
  for (const [minute, arrived] of arrivals)
    await sql.run`
      insert into events_pending (project_id, minute, at)
      values (${projectId}, ${instant(minute)}, ${instant(arrived)})`;
}

test('dirty hours are marked once, listed in a range and taken newest first', async t => {
  const { sql, version } = await openQueue(t);
  await markHours(sql, version, [at(3), at(1), at(2)]);
  await markHours(sql, version, [at(2), at(5)]);
  await markHours(sql, version, []);
  t.deepEqual(await listDirtyHours(sql, version, at(0), at(24)), [at(1), at(2), at(3), at(5)]);
  t.deepEqual(await listDirtyHours(sql, version, at(2), at(5)), [at(2), at(3)]);
  t.deepEqual(await takeDirtyHours(sql, version, 3), [at(2), at(3), at(5)]);
  t.deepEqual(await takeDirtyHours(sql, version, 3), [at(1)]);
  t.deepEqual(await takeDirtyHours(sql, version, 3), []);
});

test('pending minutes are taken in order of arrival within the bound of rows, each once and ascending', async t => {
  const { sql, projectId, version } = await openQueue(t);
  await addPending(sql, projectId, [
    [at(9, 5), at(10, 1)],
    [at(9, 1), at(10, 2)],
    [at(9, 5), at(10, 3)],
    [at(9, 7), at(10, 4)],
  ]);
  t.is(await findOldestPending(sql, version), at(10, 1));
  t.deepEqual(await takePendingMinutes(sql, projectId, { rows: 3, hours: 9 }), {
    minutes: [at(9, 1), at(9, 5)],
    arrivedMs: at(10, 1),
    hasMore: true,
  });
  t.is(await findOldestPending(sql, version), at(10, 4));
  const next = () => takePendingMinutes(sql, projectId, { rows: 3, hours: 9 });
  t.deepEqual(await next(), { minutes: [at(9, 7)], arrivedMs: at(10, 4), hasMore: false });
  t.deepEqual(await next(), { minutes: [], arrivedMs: null, hasMore: false });
  t.is(await findOldestPending(sql, version), null);
});

test('pending minutes of at most so many hours are taken, of those whose events arrived first', async t => {
  const { sql, projectId } = await openQueue(t);
  await addPending(sql, projectId, [
    [at(9, 5), at(10, 1)],
    [at(2, 0), at(10, 2)],
    [at(5, 0), at(10, 3)],
    [at(9, 59), at(10, 4)],
  ]);
  t.deepEqual(await takePendingMinutes(sql, projectId, { rows: 9, hours: 2 }), {
    minutes: [at(2), at(9, 5), at(9, 59)],
    arrivedMs: at(10, 1),
    hasMore: true,
  });
  t.deepEqual(await takePendingMinutes(sql, projectId, { rows: 9, hours: 2 }), {
    minutes: [at(5)],
    arrivedMs: at(10, 3),
    hasMore: false,
  });
});

test('what a failed transaction took is back in the queue', async t => {
  const { sql, projectId, version, inTransaction } = await openQueue(t);
  await addPending(sql, projectId, [[at(9), at(10)]]);
  await markHours(sql, version, [at(3)]);
  const failing = inTransaction(async inside => {
    t.is((await takePendingMinutes(inside, projectId, { rows: 9, hours: 9 })).minutes.length, 1);
    t.is((await takeDirtyHours(inside, version, 9)).length, 1);
    throw new Error('failed');
  });
  await t.throwsAsync(failing, { message: 'failed' });
  t.is(await findOldestPendingOfAll(sql), at(10));
  t.deepEqual(await listDirtyHours(sql, version, at(0), at(24)), [at(3)]);
});

test('projects have work while events are pending, hours dirty or versions to backfill', async t => {
  const { sql, projectId, version } = await openQueue(t);
  t.deepEqual(await listProjectsWithWork(sql), []);
  await addPending(sql, projectId, [[at(9), at(10)]]);
  t.deepEqual(await listProjectsWithWork(sql), [projectId]);
  await takePendingMinutes(sql, projectId, { rows: 9, hours: 9 });
  await markHours(sql, version, [at(3)]);
  t.deepEqual(await listProjectsWithWork(sql), [projectId]);
  await takeDirtyHours(sql, version, 9);
  await sql.run`update flow_versions set filled_at = null where flow_id = ${version.flowId}`;
  t.deepEqual(await listProjectsWithWork(sql), [projectId]);
  await setFilled(sql, version, at(12), at(11));
  t.deepEqual(await listProjectsWithWork(sql), []);
  t.like(await findVersion(sql, version.flowId, 1), { filledAt: at(12), completeFrom: at(11) });
});

test('one roll-up of a project runs at a time, those of others beside it', async t => {
  const { projectId, inTransaction } = await openQueue(t);
  await inTransaction(async first => {
    t.true(await lockProject(first, projectId));
    await inTransaction(async second => {
      t.false(await lockProject(second, projectId));
      t.true(await lockProject(second, 'proj_other'));
    });
  });
  t.true(await inTransaction(sql => lockProject(sql, projectId)), 'the lock ends with its transaction');
});

test('postponed minutes are of one version, each once, and old until they are taken', async t => {
  const { sql, version } = await openQueue(t);
  const pending = { minutes: [at(9, 5), at(9, 1)], arrivedMs: at(10), hasMore: false };
  await postponeMinutes(sql, version, pending);
  await postponeMinutes(sql, version, { ...pending, arrivedMs: at(11) });
  t.is(await findOldestPending(sql, version), at(10));
  t.is(await findOldestPending(sql, { ...version, version: 2 }), null);
  t.is(await findOldestPendingOfAll(sql), at(10));
  t.deepEqual(await listProjectsWithWork(sql), [version.projectId]);
  t.deepEqual(await takePostponedMinutes(sql, { ...version, version: 2 }, null), []);
  t.deepEqual(await takePostponedMinutes(sql, version, 1), [at(9, 1)]);
  t.deepEqual(await takePostponedMinutes(sql, version, null), [at(9, 5)]);
  t.deepEqual(await listProjectsWithWork(sql), []);
});

test('times of releases that overlap or touch are one, and cover what they did', t => {
  const range = fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 5 })).map(([from, length]) => ({
    fromMs: from,
    toMs: from + length,
  }));
  const covered = (ranges: readonly Reattribution[]) =>
    Array.from({ length: 40 }, (_, ms) => ranges.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), ranges => {
      const joined = joinRanges(ranges);
      t.deepEqual(covered(joined), covered(ranges));
      t.true(joined.every(({ fromMs }, index) => index === 0 || fromMs > (joined[index - 1]?.toMs ?? 0)));
    }),
  );
});
