import test, { type ExecutionContext } from 'ava';
import { newestResults } from '#control-plane/monitoring/checks/over-time/range-store.ts';
import { detailOf } from '#control-plane/monitoring/checks/storage/detail.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import type { WireResult } from '#shared/check-result.ts';
import { toTimestamp } from '#shared/clock.ts';
import { minuteMs } from '#shared/duration.ts';
import { apiOf, createRegions, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { blankResult, connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);
const words = ['ping', 'dns', 'dns.own', 'assert.2'];

const pinged = (received: number, jitter_ms: number | null): Partial<WireResult> => ({
  status_code: null,
  timings: null,
  ...(received === 0
    ? { status: 'err', error: { code: 'no_reply', message: 'no reply' }, failure_source: 'target', latency_ms: null }
    : {}),
  facts: { ping: { sent: 4, received, min_ms: null, avg_ms: null, max_ms: null, jitter_ms } },
});
const answered = (data: string[], ttl = 60): Partial<WireResult> => ({
  status_code: null,
  facts: {
    dns: {
      server: '192.0.2.53:53',
      rcode: 'NOERROR',
      truncated: false,
      servers: [],
      answers: data.map(each => ({ name: 'a.example', type: 'A', ttl, data: each })),
    },
  },
});
const refused: Partial<WireResult> = {
  status: 'err',
  status_code: null,
  failure_source: 'target',
  error: { code: 'timeout', message: 'no answer' },
};

async function openMonitor(t: ExecutionContext, region: string, url: string) {
  const secrets = await createRegions(database(), [region]);
  const { token } = await createTenant(database());
  const replica = await sharedReplica(database());
  const api = apiOf(replica.url, token);
  const monitor = { name: region, url, interval_seconds: 60, regions: [region] };
  const id = String((await api('POST', '/v0/monitors', monitor)).body.id);
  const agent = await connectFakeAgent(replica.url, secrets[region]?.secret ?? '', undefined, words);
  t.teardown(() => agent[Symbol.asyncDispose]());
  // A whole hour of minutes, so that each check is in a bucket of its own.
  const start = Math.floor(Date.now() / minuteMs) * minuteMs - 30 * minuteMs;
  const report = async (results: readonly Partial<WireResult>[]) => {
    const all = results.map((result, index) => goodResult(id, start + index * minuteMs, result));
    t.deepEqual(await agent.report(all.map(result => ({ ...blankResult, ...result }))), []);
    return all;
  };
  const read = async (name: string, toMs = start + 20 * minuteMs) => {
    const query = `from=${toTimestamp(start)}&to=${toTimestamp(toMs)}`;
    return (await api('GET', `/v0/monitors/${id}/${name}?${query}`)).body;
  };
  /** All in the row, as results are stored that are unlike all others. */
  const unfold = (results: readonly Partial<WireResult>[]) =>
    withSql(database(), async sql => {
      for (const result of results)
        await sql.run`
          update check_results
          set shape = null,
            figures = null,
            detail = ${detailOf({ ...blankResult, ...result } as never)}::json
          where monitor_id = ${id} and scheduled_at = ${instant(result.scheduled_at ?? 0)}::timestamptz`;
    });
  return { api, id, start, report, read, unfold };
}

test('packets and jitter are summed by bucket, however a result is stored', async t => {
  const { report, read, unfold, start } = await openMonitor(t, 'sum-a', 'ping://a.example');
  const results = await report([pinged(4, 2), pinged(3, 4), pinged(0, null)]);
  const expected = {
    bucket_seconds: 60,
    complete_from: toTimestamp(start),
    data: [4, 3, 0].map((received, index) => ({
      bucket: toTimestamp(start + index * minuteMs),
      region: 'sum-a',
      sent: 4,
      received,
      jitter_ms: [2, 4, null][index],
    })),
  };
  t.deepEqual(await read('ping-figures'), expected);
  await unfold(results);
  t.deepEqual(await read('ping-figures'), expected);
  const { bucket_seconds, data } = await read('ping-figures', start + 24 * 60 * minuteMs);
  t.is(bucket_seconds, 300);
  t.is(
    data.reduce((sum: number, { received }: { received: number }) => sum + received, 0),
    7,
  );
});

test('a set of records holds until another is answered, whatever order, TTL and storage', async t => {
  const { report, read, unfold, start } = await openMonitor(t, 'set-a', 'dns://192.0.2.53/a.example?type=A');
  const both = ['192.0.2.1', '192.0.2.2'];
  const results = await report([
    answered(both),
    answered(both.toReversed(), 59),
    answered(['192.0.2.3']),
    refused,
    answered(['192.0.2.3']),
    answered(both),
  ]);
  const at = (minute: number) => toTimestamp(start + minute * minuteMs);
  const common = { region: 'set-a', rcode: 'NOERROR', type: 'A', truncated: false };
  const expected = {
    complete_from: at(0),
    data: [
      { ...common, first_at: at(0), last_at: at(1), records: both },
      { ...common, first_at: at(2), last_at: at(2), records: ['192.0.2.3'] },
      { ...common, first_at: at(4), last_at: at(4), records: ['192.0.2.3'] },
      { ...common, first_at: at(5), last_at: at(5), records: both },
    ],
  };
  t.deepEqual(await read('dns-answers'), expected);
  await unfold(results);
  t.deepEqual(await read('dns-answers'), expected);
});

test('the oldest results are left out where there are too many, those of one instant together', async t => {
  const { id, report, start } = await openMonitor(t, 'cut-a', 'ping://a.example');
  await report(Array.from({ length: 4 }, () => pinged(4, 1)));
  await withSql(database(), async sql => {
    // Another region's, at the instant of the second.
    await sql.run`
      insert into check_results
      select (jsonb_populate_record(results, '{"region": "cut-b"}')).*
      from check_results as results
      where monitor_id = ${id} and scheduled_at = ${instant(start + minuteMs)}::timestamptz`;
    const range = { monitorId: id, fromMs: start, toMs: start + 10 * minuteMs };
    const cut = async (max: number) => (await newestResults(sql, range, max)).fromMs - start;
    t.deepEqual([await cut(5), await cut(4), await cut(3), await cut(2)], [0, 1, minuteMs + 1, minuteMs + 1]);
  });
});

test('neither is shown of monitors of others', async t => {
  const { id } = await openMonitor(t, 'own-a', 'ping://a.example');
  const { token } = await createTenant(database());
  const replica = await sharedReplica(database());
  const other = apiOf(replica.url, token);
  for (const name of ['ping-figures', 'dns-answers'])
    t.is((await other('GET', `/v0/monitors/${id}/${name}`)).status, 404, name);
});
