import test from 'ava';
import { samplesIn } from '#control-plane/monitoring/checks/intake/sample-store.ts';
import { rebuildHours } from '#control-plane/monitoring/checks/roll-up/hourly-store.ts';
import { readRecentLatency } from '#control-plane/monitoring/checks/roll-up/recent-store.ts';
import { hourMs } from '#shared/duration.ts';
import { apiOf, createRegions, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';

const database = useDatabase(test);

test('a check whose agent stood still counts by its status, and its latency is shown and counts nowhere', async t => {
  const agents = await createRegions(database(), ['delay-a']);
  const { token } = await createTenant(database());
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const assertions = [{ type: 'latency_p95', operator: 'lt', value_ms: 100, window_minutes: 10 }];
  const body = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 60, timeout_ms: 1000, regions: ['delay-a'] };
  const { id } = (await api('POST', '/v0/monitors', { ...body, assertions })).body;
  await using agent = await connectFakeAgent(replica.url, agents['delay-a']?.secret ?? '');
  const nowMs = Date.now();
  const delayedAt = (index: number) => index % 2 === 1;
  const results = Array.from({ length: 12 }, (_, index) =>
    goodResult(id, nowMs - 115_000 + index * 10_000, {
      latency_ms: delayedAt(index) ? 900.5 : 10.25,
      ...(delayedAt(index) ? { delayed_ms: 890 } : {}),
    }),
  );
  // In two parts, so that stored samples are read as well as those of a batch.
  t.deepEqual(await agent.report(results.slice(0, 6)), []);
  t.deepEqual(await agent.report(results.slice(6)), []);
  const { data } = (await api('GET', `/v0/monitors/${id}/checks?limit=20`)).body;
  t.deepEqual(
    data.map((check: Record<string, unknown>) => [check.status, check.latency_ms, check.delayed_ms]).toReversed(),
    results.map((_, index) => ['ok', delayedAt(index) ? 900.5 : 10.25, delayedAt(index) ? 890 : null]),
  );
  const newest = data[0].assertions.find(({ type }: { type: string }) => type === 'latency_p95');
  t.deepEqual([newest.passed, newest.actual], [true, '10.3 ms']);
  const { p95_ms, hourly_latency_ms } = (await api('GET', '/v0/monitors?include=summary')).body.data[0].summary;
  t.true(p95_ms < 20);
  t.deepEqual([...new Set(hourly_latency_ms.filter((value: number | null) => value !== null))], [10]);
  const metrics = await (
    await fetch(`${replica.url}/v0/metrics`, { headers: { authorization: `Bearer ${token}` } })
  ).text();
  t.regex(metrics, /monitor_latency_seconds\{[^}]*\} 0\.01025/);
  await withSql(database(), async sql => {
    const samples = await samplesIn(sql, id, { afterMs: nowMs - hourMs, untilMs: nowMs }, []);
    t.deepEqual(new Set(samples.map(({ latency_ms }) => latency_ms)), new Set([10.25]));
    const hour = Math.floor(nowMs / hourMs) * hourMs;
    await rebuildHours(sql, id, hour - hourMs, hour + hourMs);
    const rebuilt = (await readRecentLatency(sql, [id], 24, nowMs)).get(id);
    t.deepEqual([...new Set(rebuilt?.averagesMs)], [null, 10]);
    const counted = await sql.row<{ ok: number }>`
      select sum(ok)::integer as ok
      from checks_hourly
      where monitor_id = ${id}`;
    t.is(counted?.ok, 12);
  });
});
