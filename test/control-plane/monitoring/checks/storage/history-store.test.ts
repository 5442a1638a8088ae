import test from 'ava';
import { detailOf } from '#control-plane/monitoring/checks/storage/detail.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import type { WireResult } from '#shared/check-result.ts';
import { dayMs } from '#shared/duration.ts';
import { apiOf, createRegions, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { badResults, blankResult, connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';

const database = useDatabase(test);

const tls = { protocol: 'TLSv1.3', valid_to: '2027-01-20T10:00:00.000Z', days_left: 61 };
const passed = { index: 0, type: 'status', passed: true, expected: 'status eq 200', actual: '200' } as const;
const timings = { dns_ms: 1.482, connect_ms: 11.318, tls_ms: 24.871, first_byte_ms: 160.5, download_ms: 2.329 };

/** Results that are stored in each of the forms that a row may have. */
const templates: Partial<WireResult>[] = [
  {},
  { timings, tls, bytes: 18_423, assertions: [passed] },
  { timings: null, latency_ms: null, status_code: null, remote_ip: null },
  { timings: { ...timings, dns_ms: 0.0004 } },
  { tls: { ...tls, days_left: 61.4 }, status: 'warn' },
  { tls: { ...tls, days_left: -3 }, truncated: true, bytes: 2 ** 40 },
  {
    assertions: [
      { ...passed, passed: null, actual: null, skipped: 'too_few_samples' },
      { ...passed, index: 1 },
    ],
  },
  { warnings: ['line_ending', 'folded_header'] },
  { assertions: [{ ...passed, actual: 'NUL \u0000, "quotes" and \ud800 half a pair' }] },
  ...Array.from({ length: 40 }, (_, index) => ({ assertions: [{ ...passed, actual: `value ${index}` }] })),
  ...Array.from({ length: 80 }, (_, index) => ({ remote_ip: `10.0.0.${index}` })),
];

test('the history is byte for byte what it was when each row had all of its detail', async t => {
  const secrets = await createRegions(database(), ['lean-a']);
  const { token } = await createTenant(database());
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const monitor = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, regions: ['lean-a'] };
  const id = String((await api('POST', '/v0/monitors', monitor)).body.id);
  await using agent = await connectFakeAgent(replica.url, secrets['lean-a']?.secret ?? '');
  // All of one day: templates are counted by day.
  const start = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2;
  const results = [
    ...templates.map((template, index) => goodResult(id, start + index * 10_000, template)),
    ...badResults(id, start + templates.length * 10_000),
  ].map(result => ({ ...blankResult, ...result }));
  t.deepEqual(await agent.report(results), []);
  const read = async () => JSON.stringify((await api('GET', `/v0/monitors/${id}/checks?limit=200`)).body);
  const lean = await read();
  t.is(JSON.parse(lean).data.length, results.length);
  const warned = JSON.parse(lean).data.filter(({ warnings }: { warnings: unknown[] }) => warnings.length > 0);
  t.deepEqual(
    warned.map(({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code)),
    [['line_ending', 'folded_header']],
  );
  await withSql(database(), async sql => {
    const forms = await sql.row<{ lean: number; complete: number; bytes: number }>`
      select
        count(shape) as lean,
        count(*) filter (where shape is null) as complete,
        max(pg_column_size(r.*)) filter (where detail::text = '{}') as bytes
      from check_results r
      where monitor_id = ${id}`;
    t.true((forms?.lean ?? 0) > 50 && (forms?.complete ?? 0) > 3);
    t.true((forms?.bytes ?? 1000) < 200, `a usual row has ${forms?.bytes} bytes`);
    for (const result of results) {
      await sql.run`
        update check_results
        set shape = null,
          figures = null,
          agent_id = ${secrets['lean-a']?.id ?? ''},
          detail = ${detailOf(result)}::json
        where monitor_id = ${id} and scheduled_at = ${instant(result.scheduled_at)}::timestamptz
          and attempt = ${result.attempt}`;
    }
  });
  t.is(await read(), lean);
});
