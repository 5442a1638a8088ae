import test from 'ava';
import fc from 'fast-check';
import { readSpans } from '#control-plane/monitoring/uptime/read-spans.ts';
import { type Row, spansByBucket, withWindows } from '#control-plane/monitoring/verdicts/spans.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { dayMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { leastTurnMs } from '#test/support/thread-time.ts';

const databaseOf = useDatabase(test);
const verdicts = ['up', 'down', 'degraded', 'paused', 'undetermined', 'deleted'] as const;
const bounds = [100, 200, 300, 400];

/** As the database does: the row in force at the first bound, and what follows. */
function reader(rows: readonly Row[]) {
  const first = rows.findLast(({ since }) => since <= 100)?.since ?? 100;
  return async (afterMs: number | null, limit: number) =>
    rows.filter(({ since }) => (afterMs === null ? since >= first : since > afterMs)).slice(0, limit);
}

test('a history that is read in portions has the same time by bucket as one that is read at once', async t => {
  const history = fc
    .array(fc.record({ gap: fc.integer({ min: 1, max: 60 }), verdict: fc.constantFrom(...verdicts) }), {
      maxLength: 20,
    })
    .map(steps => {
      let since = 0;
      return steps.map(({ gap, verdict }): Row => {
        since += gap;
        return { since, verdict };
      });
    });
  const windows = fc.array(fc.record({ start: fc.nat({ max: 400 }), length: fc.integer({ min: 1, max: 90 }) }), {
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(history, windows, fc.integer({ min: 1, max: 6 }), async (rows, given, rowsAtOnce) => {
      const spans = given.map(({ start, length }) => ({ start, end: start + length }));
      const expected = spansByBucket(withWindows(rows, spans), bounds);
      t.deepEqual(await readSpans(reader(rows), spans, bounds, { rowsAtOnce, rowsMax: 100 }), expected);
    }),
    { numRuns: 300 },
  );
});

test('a history with more rows than allowed is not read to its end', async t => {
  const rows = Array.from(
    { length: 30 },
    (_, index): Row => ({ since: 101 + index, verdict: index % 2 ? 'up' : 'down' }),
  );
  let reads = 0;
  const read = (afterMs: number | null, limit: number) => {
    reads += 1;
    return reader(rows)(afterMs, limit);
  };
  t.is(await readSpans(read, [], bounds, { rowsAtOnce: 5, rowsMax: 10 }), null);
  t.is(reads, 3);
});

test('400,000 changes are read without keeping the process from other work', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post()).body;
  const [changes, stepMs] = [400_000, 20_000];
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const startMs = today - changes * stepMs;
  await withSql(databaseOf(), async sql => {
    await sql.run`delete from verdict_changes where monitor_id = ${id}`;
    await sql.run`
      insert into verdict_changes (monitor_id, project_id, since, verdict, votes, config_version)
      select ${id}, ${world.projectId}, ${instant(startMs)}::timestamptz + n * interval '20 seconds',
        case n % 4 when 0 then 'down' else case n % 2 when 0 then 'degraded' else 'up' end end, '{}', 1
      from generate_series(0, ${changes - 1}::integer) as n`;
  });
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const path = `/v0/monitors/${id}/uptime?granularity=day&from=${day(startMs + dayMs)}&to=${day(today - dayMs)}`;
  const ms = await leastTurnMs(80, async () => {
    const { status, body } = await world.api('GET', path);
    t.is(status, 200);
    t.is(body.data.length, Math.floor((today - startMs) / dayMs));
    for (const bucket of body.data) {
      t.is(bucket.uptime, 0.75);
      t.is(bucket.observed_seconds, 86_400);
    }
  });
  t.true(ms < 80, `${ms} ms`);
});
