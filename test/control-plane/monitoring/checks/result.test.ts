import test from 'ava';
import { type ResultRow, resultId, viewResult } from '#control-plane/monitoring/checks/result.ts';

const row: ResultRow = {
  monitor_id: 'mon_1',
  scheduled_at: 1000,
  region: 'a',
  kind: 'scheduled',
  attempt: 1,
  status: 'ok',
  failure_source: null,
  agent_id: 'agt_1',
  config_version: 1,
  started_at: 1001,
  completed_at: 1010,
  received_at: 1020,
  latency_ms: 9,
  status_code: 200,
  detail: { timings: null, error: null, assertions: [], remote_ip: null, bytes: 0, truncated: false, tls: null },
};

test('the id of a result depends on its key and on nothing else', t => {
  const id = resultId(row);
  t.regex(id, /^chk_[0-9a-z]{26}$/);
  t.is(resultId({ ...row, status: 'err', latency_ms: null } as ResultRow), id);
  const others: Partial<ResultRow>[] = [
    { monitor_id: 'mon_2' },
    { scheduled_at: 1001 },
    { region: 'b' },
    { kind: 'confirm' },
    { attempt: 2 },
  ];
  const ids = others.map(change => resultId({ ...row, ...change }));
  t.is(new Set([id, ...ids]).size, 1 + others.length);
});

test('the API shows instants as timestamps and no completion', t => {
  const shown = viewResult(row);
  t.like(shown, {
    id: resultId(row),
    scheduled_at: '1970-01-01T00:00:01.000Z',
    received_at: '1970-01-01T00:00:01.020Z',
  });
  t.false('completed_at' in shown);
});

test('a refused certificate is shown as not verified, the protocol as it was agreed on', t => {
  const tls = { protocol: 'TLSv1.3', valid_to: '2026-12-01T00:00:00.000Z', days_left: 5 };
  const shown = (detail: Partial<ResultRow['detail']>) =>
    viewResult({ ...row, detail: { ...row.detail, ...detail } }).tls;
  t.like(shown({ tls }), { verified: true, alpn: null });
  t.like(shown({ tls: { ...tls, alpn: 'h2' } }), { verified: true, alpn: 'h2' });
  t.like(shown({ refused_tls: { ...tls, verified: false } }), { verified: false, days_left: 5 });
  t.is(shown({}), null);
});

test('warnings are shown with a sentence each, also those of newer agents, and none is an empty list', t => {
  t.deepEqual(viewResult(row).warnings, []);
  const warned = viewResult({ ...row, detail: { ...row.detail, warnings: ['line_ending', 'newer'] } });
  t.deepEqual(warned.warnings, [
    { code: 'line_ending', message: 'a line of the headers or of a chunk ends with LF instead of CR LF' },
    { code: 'newer', message: 'the response is not valid HTTP, but was read' },
  ]);
});

test('ids are ULIDs in the order of the slots', t => {
  const instants = [0, 1, 1000, Date.UTC(2026, 10, 22), Date.UTC(2026, 10, 22) + 1, Date.UTC(2199, 0, 1)];
  const ids = instants.map(scheduled_at => resultId({ ...row, scheduled_at }));
  t.deepEqual(ids.toSorted(), ids);
  for (const id of ids) t.regex(id, /^chk_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
});
