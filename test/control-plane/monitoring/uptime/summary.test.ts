import test from 'ava';
import { instant } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

type Bucket = { uptime: number; observed_seconds: number };

test('a list gives a summary of each monitor on request, with the uptime that the report gives', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push((await world.post({ name })).body.id);
  const [first = '', second = ''] = ids;
  const nowMs = Date.now();
  const at = (hoursAgo: number) => instant(nowMs - hoursAgo * hourMs);
  await withSql(databaseOf(), async sql => {
    for (const id of ids) await sql.run`update monitors set created_at = ${at(1500)} where id = ${id}`;
    for (const id of ids) await sql.run`delete from verdict_changes where monitor_id = ${id}`;
    const history = [
      [1000, 'up'],
      [721, 'down'],
      [700, 'up'],
      [100, 'undetermined'],
      [90, 'degraded'],
      [50, 'down'],
      [45.5, 'up'],
    ] as const;
    for (const id of [first, second])
      for (const [hoursAgo, verdict] of history)
        await sql.run`
          insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
          values (${id}, ${at(hoursAgo)}, ${world.projectId}, ${verdict}, '{}', 1)`;
    const bins = `{${Array.from({ length: 48 }, (_, bin) => (bin === 20 ? 8 : 0)).join(',')}}`;
    for (const region of world.regions)
      await sql.run`
        insert into checks_hourly (monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins)
        values (${first}, date_trunc('hour', ${at(2)}::timestamptz), ${region}, 8, 0, 1, 800, 101, ${bins})`;
  });
  const window = {
    title: 'Upgrade',
    scope: { monitor_ids: [second] },
    starts_at: new Date(nowMs - 51 * hourMs).toISOString(),
    ends_at: new Date(nowMs - 48 * hourMs).toISOString(),
  };
  t.is((await world.api('POST', '/v0/maintenances', window)).status, 201);
  const { data } = (await world.api('GET', '/v0/monitors?include=summary&limit=2')).body;
  const rest = (await world.api('GET', '/v0/monitors?include=summary')).body.data;
  t.is(data.length, 2);
  const summaryOf = (id: string) => rest.find((monitor: { id: string }) => monitor.id === id).summary;
  const from = new Date(nowMs - 30 * dayMs).toISOString();
  for (const id of [first, second]) {
    const path = `/v0/monitors/${id}/uptime?granularity=hour&from=${from}&to=${new Date(nowMs).toISOString()}`;
    const buckets: Bucket[] = (await world.api('GET', path)).body.data;
    const sum = (figureOf: (bucket: Bucket) => number) =>
      buckets.reduce((total, bucket) => total + figureOf(bucket), 0);
    const uptime = sum(bucket => bucket.uptime * bucket.observed_seconds) / sum(bucket => bucket.observed_seconds);
    t.true(Math.abs(summaryOf(id).uptime_30d - uptime) < 0.003, `${summaryOf(id).uptime_30d} and ${uptime}`);
  }
  t.true(summaryOf(second).uptime_30d > summaryOf(first).uptime_30d);
  t.true(summaryOf(first).p95_ms > 80 && summaryOf(first).p95_ms <= 101);
  const { hourly_latency_ms: hourly } = summaryOf(first);
  t.is(hourly.length, 24);
  t.deepEqual(
    hourly.filter((value: number | null) => value !== null),
    [100],
  );
  t.is(hourly[21], 100);
  const { hourly_error_rate: rates } = summaryOf(first);
  t.deepEqual([rates.length, rates[21]], [24, 1 / 9]);
  t.deepEqual([...new Set(rates.toSpliced(21, 1))], [null]);
  t.deepEqual(summaryOf(second).hourly_latency_ms, new Array(24).fill(null));
  t.deepEqual(summaryOf(second).hourly_error_rate, new Array(24).fill(null));
  t.is((await world.api('GET', '/v0/monitors')).body.data[0].summary, undefined);
});
