import test from 'ava';
import fc from 'fast-check';
import { rebuildHours } from '#control-plane/monitoring/checks/roll-up/hourly-store.ts';
import { sumHours } from '#control-plane/monitoring/checks/roll-up/tally-store.ts';
import { lockStates } from '#control-plane/monitoring/monitors/state/state-store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import type { WireResult } from '#shared/check-result.ts';
import { newId } from '#shared/ids.ts';
import { apiOf, createRegions, createTenant, withSql } from '#test/support/control-plane.ts';
import { withClosedHours } from '#test/support/current-hours.ts';
import { useDatabase } from '#test/support/database.ts';
import { badResults, connectFakeAgent, expiring, goodResult, warnsOfCertificates } from '#test/support/fake-agent.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

async function openWorld(regions: readonly string[], body: Record<string, unknown> = {}) {
  const agents = await createRegions(database(), regions);
  const { token } = await createTenant(database());
  const replica = await sharedReplica(database());
  const api = apiOf(replica.url, token);
  const monitor = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, timeout_ms: 1000, regions, ...body };
  const made = await api('POST', '/v0/monitors', monitor);
  const connect = (region: string) => connectFakeAgent(replica.url, agents[region]?.secret ?? '');
  return { replica, api, id: String(made.body.id), version: 1, connect, agents };
}

test('results are stored and rolled up once, however often, late or out of order they arrive', async t => {
  const world = await openWorld(['rec-a'], warnsOfCertificates);
  await using agent = await world.connect('rec-a');
  const now = Date.now() - 3 * 3_600_000;
  const results = Array.from({ length: 200 }, (_, index) => {
    const changes: Partial<WireResult> = {
      latency_ms: (index % 40) * 7 + 0.4,
      ...(index % 10 === 0 ? expiring(now + index * 10_000) : {}),
    };
    return goodResult(world.id, now + index * 10_000, changes);
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 199 }), { minLength: 1, maxLength: 120 }), async picks => {
      const refused = await agent.report(picks.map(pick => results[pick] ?? {}));
      return refused.length === 0;
    }),
    { numRuns: 25 },
  );
  await Promise.all([agent.report(results), agent.report(results.toReversed()), agent.report(results)]);
  const { rows, hours } = await withClosedHours(
    database(),
    async sql => ({
      rows: await sql.rows<{
        status: string;
        latency_ms: number;
      }>`select status, latency_ms from check_results where monitor_id = ${world.id}`,
      hours: await sql.rows<{
        ok: number;
        warn: number;
        err: number;
        latency_sum: number;
        latency_bins: number[];
      }>`select * from checks_hourly where monitor_id = ${world.id}`,
    }),
    world.id,
  );
  t.is(rows.length, 200);
  const sum = (pick: (hour: (typeof hours)[number]) => number) => hours.reduce((total, hour) => total + pick(hour), 0);
  t.deepEqual([sum(hour => hour.ok), sum(hour => hour.warn), sum(hour => hour.err)], [180, 20, 0]);
  t.is(
    sum(hour => hour.latency_bins.reduce((total, count) => total + count, 0)),
    200,
  );
  t.true(Math.abs(sum(hour => hour.latency_sum) - rows.reduce((total, row) => total + row.latency_ms, 0)) < 1);
});

test('an hour rebuilt from raw results equals the one rolled up result by result', async t => {
  const world = await openWorld(['rebuild-a']);
  await using agent = await world.connect('rebuild-a');
  const at = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 7_200_000;
  await agent.report(
    Array.from({ length: 100 }, (_, index) =>
      goodResult(world.id, at + index * 10_000, { latency_ms: 1.7 ** (index % 20) }),
    ),
  );
  await agent.report(badResults(world.id, at + 2_000_000));
  const [before, after] = await withClosedHours(
    database(),
    async sql => {
      // Sums of single precision depend on their order.
      const hours = () => sql.rows`
      select monitor_id, hour, region, ok, warn, err, round(latency_sum) as latency_sum, latency_max, latency_bins
      from checks_hourly
      where monitor_id = ${world.id}
      order by hour`;
      const rolledUp = await hours();
      await rebuildHours(sql, world.id, at, at + 3_600_000);
      return [rolledUp, await hours()];
    },
    world.id,
  );
  t.deepEqual(after, before);
});

test('results that turn the verdict are counted, and rebuilding a current hour counts nothing twice', async t => {
  // Votes outlive the reports on a busy machine.
  const world = await openWorld(['turn-a'], { interval_seconds: 60 });
  await using agent = await world.connect('turn-a');
  const now = Date.now();
  const hour = Math.floor((now - 30_000) / 3_600_000) * 3_600_000;
  await agent.report([goodResult(world.id, now - 30_000)]);
  await agent.report(badResults(world.id, now - 20_000));
  t.is((await world.api('GET', `/v0/monitors/${world.id}`)).body.status, 'down');
  const read = async (sql: Sql) => {
    const tallies = await sumHours(sql, world.id, hour, hour + 7_200_000);
    return [tallies.reduce((sum, { ok }) => sum + ok, 0), tallies.reduce((sum, { err }) => sum + err, 0)];
  };
  t.deepEqual(await withSql(database(), read), [1, 1]);
  await transaction(world.replica.pools.background, async sql => {
    await lockStates(sql, [world.id]);
    await rebuildHours(sql, world.id, hour, hour + 7_200_000);
  });
  t.deepEqual(await withSql(database(), read), [1, 1]);
  await agent.report([goodResult(world.id, now - 5000)]);
  t.deepEqual(await withSql(database(), read), [2, 1]);
});

test('a bad result is refused with its reason and does not affect its neighbours', async t => {
  const world = await openWorld(['refuse-a', 'refuse-b']);
  await createRegions(database(), ['refuse-c']);
  await using agent = await world.connect('refuse-a');
  const now = Date.now();
  const other = await world.api('POST', '/v0/monitors', {
    name: 'elsewhere',
    url: 'http://127.0.0.1:1/',
    interval_seconds: 10,
    regions: ['refuse-c'],
  });
  const refused = await agent.report([
    goodResult(world.id, now - 20_000),
    goodResult(newId('mon'), now),
    goodResult(world.id, now, { config_version: 99 }),
    goodResult(other.body.id, now),
    goodResult(world.id, now - 40 * 86_400_000),
    goodResult(world.id, now + 3_600_000),
    { ...goodResult(world.id, now), status: 'fine' as never },
    goodResult(world.id, now - 10_000),
  ]);
  t.deepEqual(
    refused.map(({ reason }) => reason),
    ['unknown_monitor', 'unknown_monitor', 'not_its_region', 'too_old', 'in_future', 'malformed'],
  );
  const history = await world.api('GET', `/v0/monitors/${world.id}/checks`);
  t.deepEqual(
    history.body.data.map((check: { status: string }) => check.status),
    ['err', 'ok', 'ok'],
  );
});

test('latency_p95 is decided with the results of its window, and can only turn ok into warn', async t => {
  const assertions = [{ type: 'latency_p95', operator: 'lt', value_ms: 100, window_minutes: 5 }];
  const world = await openWorld(['p95-a'], { assertions });
  await using agent = await world.connect('p95-a');
  const now = Date.now() - 120_000;
  await agent.report([1, 2, 3, 4].map(index => goodResult(world.id, now + index * 10_000, { latency_ms: 500 })));
  await agent.report([goodResult(world.id, now + 50_000, { latency_ms: 20 })]);
  const { data } = (await world.api('GET', `/v0/monitors/${world.id}/checks`)).body;
  t.deepEqual(
    data.map((result: { status: string }) => result.status),
    ['warn', 'ok', 'ok', 'ok', 'ok'],
  );
  t.like(data[0].assertions[0], { index: 0, type: 'latency_p95', passed: false, actual: '500 ms' });
  t.like(data[1].assertions[0], { passed: null, skipped: 'too_few_samples' });
});

test('a result of another configuration is stored but casts no vote', async t => {
  const world = await openWorld(['version-a']);
  await using agent = await world.connect('version-a');
  await world.api('PATCH', `/v0/monitors/${world.id}`, { url: 'http://127.0.0.1:2/' });
  await agent.report([goodResult(world.id, Date.now(), { config_version: 1 })]);
  const monitor = await world.api('GET', `/v0/monitors/${world.id}`);
  t.is(monitor.body.status, 'pending');
  t.is((await world.api('GET', `/v0/monitors/${world.id}/checks`)).body.data.length, 1);
  await agent.report([goodResult(world.id, Date.now(), { config_version: 2 })]);
  t.is((await world.api('GET', `/v0/monitors/${world.id}`)).body.status, 'up');
});

test('NUL and lone surrogates that a target sends are stored as the replacement character', async t => {
  const world = await openWorld(['nul-a']);
  await using agent = await world.connect('nul-a');
  const actual = 'a\u0000b\ud800c\\u0000d';
  const assertions = [{ index: 0, type: 'body_contains' as const, passed: false, expected: 'x', actual }];
  const failure = badResults(world.id, Date.now() - 1500, { assertions, error: null, status_code: 200 });
  t.deepEqual(await agent.report(failure), []);
  const [alert] = (await world.api('GET', '/v0/alerts')).body.data;
  t.is(alert.reason.actual, 'a\ufffdb\ufffdc\\u0000d');
});
