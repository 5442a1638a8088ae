import test, { type ExecutionContext } from 'ava';
import type { NewEvent } from '#control-plane/analytics/events/event.ts';
import { createEventWriter, type WriterServices } from '#control-plane/analytics/events/writer.ts';
import { createPools } from '#control-plane/platform/db/pool.ts';
import type { SeriesStore } from '#control-plane/platform/db/series/series.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { newId } from '#shared/ids.ts';
import { createLog } from '#shared/log.ts';
import { createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const log = createLog({ name: 'test', level: 'silent' });
const unavailable = { code: 'unavailable' };

function eventOf(projectId: string, changes: Partial<NewEvent> = {}): NewEvent {
  return {
    projectId,
    source: 'server',
    id: newId('evt'),
    name: 'n',
    type: 'track',
    actor: null,
    externalUserId: null,
    sessionId: null,
    props: null,
    timestamp: Date.now(),
    dedupId: null,
    ...changes,
  };
}

/** A writer whose commits wait for a partition until the test lets them go on. */
async function openWriter(t: ExecutionContext) {
  // A replica has created the partitions of this time.
  await sharedReplica(databaseOf());
  const pools = createPools(databaseOf(), log);
  t.teardown(() => pools.end());
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const series: SeriesStore = {
    ensure: () => promise,
    ensureAhead: async () => {},
    dropBefore: async () => [],
    compress: async () => [],
    forget: () => {},
  };
  const metrics = createMetrics();
  const services: WriterServices = { pool: pools.ingest, series, clock: { now: Date.now }, log, metrics };
  const { projectId } = await createTenant(databaseOf());
  return { writer: createEventWriter(services), open, metrics, projectId, sql: sqlOf(pools.background) };
}

test('outcomes come back to each caller in order, duplicates with the id of the first', async t => {
  const { writer, open, metrics, projectId } = await openWriter(t);
  const event = (dedupId: string | null) => eventOf(projectId, { dedupId });
  const [a, b, plain] = [event('a'), event('b'), event(null)];
  const first = writer.write([a, b]);
  open();
  t.deepEqual(await first, [
    { id: a.id, duplicate: false },
    { id: b.id, duplicate: false },
  ]);
  t.deepEqual(await writer.write([event('b'), plain, event('a')]), [
    { id: b.id, duplicate: true },
    { id: plain.id, duplicate: false },
    { id: a.id, duplicate: true },
  ]);
  const counts = (await metrics.events.get()).values.map(({ labels, value }) => [labels.outcome, value]);
  t.deepEqual(Object.fromEntries(counts), { stored: 3, known: 2 });
  t.is((await metrics.eventsQueued.get()).values[0]?.value, 0);
  await writer.stop(1000);
});

test('events beyond the bound of the queue are refused at once, with a time to retry', async t => {
  const { writer } = await openWriter(t);
  const thousand = (projectId: string) => Array.from({ length: 1000 }, () => eventOf(projectId));
  const written = Array.from({ length: 40 }, (_, group) => writer.write(thousand(`proj_${group % 2}`)));
  const error = await t.throwsAsync(writer.write([eventOf('proj_other')]), unavailable);
  t.like(error, { details: { retryAfter: 1 } });
  // The first two groups are in the two commits that wait; the others are given up.
  await Promise.all([writer.stop(0), ...written.slice(2).map(group => t.throwsAsync(group, unavailable))]);
});

test('one project fills half of the queue, by number or bytes, and events of others are still taken', async t => {
  for (const [groups, props] of [
    [20, null],
    [25, 'x'.repeat(80_000)],
  ] as const) {
    const { writer, projectId } = await openWriter(t);
    const size = props === null ? 1000 : 40;
    const burst = Array.from({ length: size }, () => eventOf(projectId, { props }));
    const written = Array.from({ length: groups }, () => writer.write(burst));
    await t.throwsAsync(writer.write([eventOf(projectId)]), { message: 'too many events are waiting to be stored' });
    const other = writer.write([eventOf('proj_other')]);
    const [error] = await Promise.all([t.throwsAsync(other, unavailable), writer.stop(0)]);
    t.is(error?.message, new Problem('unavailable').message, 'refused by the stop, not by the bound');
    await Promise.all(written.slice(2).map(group => t.throwsAsync(group, unavailable)));
  }
});

test('few events with large props fill the queue by their bytes', async t => {
  const { writer } = await openWriter(t);
  const large = (group: number) =>
    Array.from({ length: 100 }, () => eventOf(`proj_${group % 2}`, { props: 'x'.repeat(29_500) }));
  // 3,000,000 bytes each: 45 are more than 128 MiB.
  const written = Array.from({ length: 45 }, (_, group) => writer.write(large(group)));
  await t.throwsAsync(writer.write([eventOf('proj_other')]), unavailable);
  await Promise.all([writer.stop(0), ...written.slice(2).map(group => t.throwsAsync(group, unavailable))]);
});

test('44 groups of 3,000,000 bytes are fewer than 128 MiB, and one more event is taken', async t => {
  const { writer } = await openWriter(t);
  const large = (group: number) =>
    Array.from({ length: 100 }, () => eventOf(`proj_${group % 2}`, { props: 'x'.repeat(29_500) }));
  const written = Array.from({ length: 44 }, (_, group) => writer.write(large(group)));
  const last = writer.write([eventOf('proj_other')]);
  const error = await Promise.all([t.throwsAsync(last, unavailable), writer.stop(0)]);
  t.is(error[0]?.message, new Problem('unavailable').message, 'refused by the stop, not by the bound');
  await Promise.all(written.slice(2).map(group => t.throwsAsync(group, unavailable)));
});

test('a batch that the database rejects is stored again without the bad event', async t => {
  const { writer, open, projectId, sql } = await openWriter(t);
  const good = [eventOf(projectId), eventOf(projectId)];
  const bad = eventOf(projectId, { props: '{"not": json' });
  const written = writer.write([good[0] as NewEvent, bad, good[1] as NewEvent]);
  open();
  t.deepEqual(
    (await written).map(outcome => outcome?.id ?? null),
    [good[0]?.id, null, good[1]?.id],
  );
  const rows = await sql.rows<{ id: string }>`select id from events where project_id = ${projectId} order by id`;
  t.deepEqual(
    rows.map(row => row.id),
    good.map(event => event.id).sort(),
  );
});

test('after stop every event is refused', async t => {
  const { writer, open, projectId } = await openWriter(t);
  open();
  await writer.stop(1000);
  await t.throwsAsync(writer.write([eventOf(projectId)]), unavailable);
});
