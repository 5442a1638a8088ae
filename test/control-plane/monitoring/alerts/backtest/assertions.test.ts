import test from 'ava';
import { type Answered, assertionChange, judgeAnswers } from '#control-plane/monitoring/alerts/backtest/assertions.ts';
import type { CertificateWarning } from '#control-plane/monitoring/monitors/alert-rules.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';

const answer = (changes: Partial<Answered> = {}): Answered => {
  const assertions: Answered['detail']['assertions'] = [
    { index: 0, type: 'header', passed: false, expected: 'header x exists', actual: null },
    { index: 1, type: 'status', passed: true, expected: 'status eq 200', actual: '200' },
  ];
  const stored = {
    scheduled_at: 1000,
    completed_at: 1000,
    status: 'err',
    failure_source: 'target',
    status_code: 200,
    latency_ms: 50,
  } as const;
  return { ...stored, config_version: 1, detail: { assertions, error: null, tls: null }, ...changes };
};
const header = { type: 'header', name: 'x', operator: 'exists' } as const;
const is200 = { type: 'status', operator: 'eq', value: 200 } as const;
const p95 = { type: 'latency_p95', operator: 'lt', value_ms: 100, window_minutes: 5 } as const;

test('answers are judged without removed assertions and by those that their figures decide', t => {
  const judge = (
    asked: readonly Assertion[],
    results: Answered[],
    samples: { scheduled_at: number; latency_ms: number }[] = [],
    warning: CertificateWarning = null,
  ) =>
    judgeAnswers(results, assertionChange('http', [header, is200], asked), 1, samples, () => warning, null).map(
      ({ status }) => status,
    );
  t.deepEqual(judge([is200], [answer(), answer({ config_version: 7 })]), ['ok', 'ok']);
  t.deepEqual(judge([header, is200], [answer()]), ['err']);
  t.deepEqual(judge([{ ...is200, value: 201 }], [answer()]), ['err']);
  const cut = { assertions: [], error: { code: 'timeout', message: 'too late' }, tls: null } as const;
  t.deepEqual(
    judge([is200], [answer({ status_code: null, detail: { ...cut, assertions: [] } })]),
    ['err'],
    'no answer',
  );
  const blank = answer({ status_code: null, detail: { assertions: [], error: null, tls: null } });
  t.deepEqual(judge([is200], [blank]), ['err'], 'for a reason that is not stored');
  const samples = [1, 2, 3, 4, 5].map(second => ({ scheduled_at: second * 100, latency_ms: 200 }));
  t.deepEqual(judge([is200, p95], [answer()], samples), ['warn']);
  t.deepEqual(judge([is200, p95], [answer()], samples.slice(1)), ['ok'], 'too few samples decide nothing');
  const { detail } = answer();
  const tls = { protocol: 'TLSv1.3', valid_to: '1970-01-11T00:00:00.000Z', days_left: 9 };
  const expiring = answer({ detail: { ...detail, tls: { ...tls, valid_from: '1969-11-11T00:00:00.000Z' } } });
  t.deepEqual(judge([is200], [expiring]), ['ok'], 'certificates have no part in verdicts');
  t.deepEqual(judge([is200], [expiring], [], { thresholds: null }), ['warn'], 'unless the rules say so');
  t.deepEqual(judge([is200], [expiring], [], { thresholds: [{ days_left: 9, severity: 'p3' }] }), ['ok']);
  const earlier = answer({ status: 'warn', detail: { ...detail, tls } });
  t.deepEqual(judge([is200], [earlier]), ['warn'], 'the rule of 0.4.0');
});

test('a failure weighs as it is asked to, also if that alone changes', t => {
  const judge = (asked: readonly Assertion[], result: Answered, stored: readonly Assertion[] = [header, is200]) =>
    judgeAnswers([result], assertionChange('http', stored, asked), 1, [], () => null, null).map(
      ({ status }) => status,
    )[0];
  const warning = { ...header, on_fail: 'warn' } as const;
  t.deepEqual(assertionChange('http', [header, is200], [warning, is200]).added, [], 'the condition is the same');
  t.is(judge([warning, is200], answer()), 'warn');
  t.is(judge([header, is200], answer({ status: 'warn', failure_source: null }), [warning, is200]), 'err');
  t.is(judge([warning, is200], answer({ status: 'warn', failure_source: null }), [warning, is200]), 'warn');
  t.is(judge([is200, { type: 'latency', operator: 'lt', value_ms: 40, on_fail: 'warn' }], answer()), 'warn');
});

test('assertions of other kinds are decided by what is stored of the answer', t => {
  const ping = { sent: 4, received: 3, min_ms: 1, avg_ms: 2, max_ms: 9, jitter_ms: 4 };
  const record = (type: string, data: string) => ({ name: 'a.example', type, ttl: 60, data });
  const answers = [record('CNAME', 'b.example'), record('A', '192.0.2.1')];
  const servers = [{ server: '1.1.1.1:53', rcode: 'NOERROR', agrees: false }];
  const dns = { server: '9.9.9.9:53', rcode: 'NOERROR', answers, truncated: false, servers };
  const signal = { type: 'success', exit_code: null, run_seconds: 60, rid: null, source: 'hb' } as const;
  const list = [true, false].map(ok => ({ address: '192.0.2.1', ok, error_code: null, ms: null }));
  const addresses = { at: '1970-01-01T00:00:00.000Z', total: 2, answering: 1, list };
  const tls = { protocol: 'TLSv1.2', valid_to: '1970-01-11T00:00:00.000Z', days_left: 9 };
  const good = answer({
    status: 'ok',
    failure_source: null,
    status_code: null,
    detail: {
      assertions: [],
      error: null,
      tls,
      facts: { signal, dns, ping, addresses, grpc: { status: 'SERVING', code: 0 }, http_version: '1.1' },
    },
  });
  const rows: readonly (readonly [assertion: Assertion, status: string])[] = [
    [{ type: 'latency', operator: 'lt', value_ms: 50 }, 'err'],
    [{ type: 'latency', operator: 'lte', value_ms: 50 }, 'ok'],
    [{ type: 'packet_loss', operator: 'lte', value: 0.25 }, 'ok'],
    [{ type: 'packet_loss', operator: 'lt', value: 0.25 }, 'err'],
    [{ type: 'jitter', operator: 'lt', value_ms: 4 }, 'err'],
    [{ type: 'http_version', operator: 'eq', value: '2' }, 'err'],
    [{ type: 'http_version', operator: 'in', value: ['1.1', '2'] }, 'ok'],
    [{ type: 'tls_version', operator: 'gte', value: 'TLSv1.3' }, 'err'],
    [{ type: 'dns_rcode', operator: 'eq', value: 'NXDOMAIN' }, 'err'],
    [{ type: 'dns_record', operator: 'eq', value: '192.0.2.1' }, 'ok'],
    [{ type: 'dns_record', operator: 'eq', value: 'b.example' }, 'err'],
    [{ type: 'dns_agree', operator: 'eq', on_fail: 'warn' }, 'warn'],
    [{ type: 'grpc_status', operator: 'neq', value: 'SERVING' }, 'err'],
    [{ type: 'grpc_status', operator: 'in', value: ['SERVING', 12] }, 'ok'],
    [{ type: 'run_seconds', operator: 'lte', value: 60 }, 'ok'],
    [{ type: 'run_seconds', operator: 'lt', value: 60 }, 'err'],
    [{ type: 'run_seconds', operator: 'gte', value: 60 }, 'ok'],
    [{ type: 'run_seconds', operator: 'gt', value: 60, on_fail: 'warn' }, 'warn'],
    [{ type: 'addresses', operator: 'all', on_fail: 'warn' }, 'warn'],
    [{ type: 'addresses', operator: 'gte', value: 1 }, 'ok'],
    [{ type: 'addresses', operator: 'gte', value: 2 }, 'err'],
  ];
  for (const [assertion, status] of rows) {
    const [judged] = judgeAnswers([good], assertionChange('http', [], [assertion]), 1, [], () => null, 'A');
    t.is(judged?.status, status as never, JSON.stringify(assertion));
  }
});

test('of a kind without statuses none is implied', t => {
  const change = assertionChange('websocket', [header], []);
  t.deepEqual(change, { stored: [header], asked: [], removed: [header], added: [] });
});

test('records that had to stay the same are compared with those that the region found first', t => {
  const seen = (minute: number, region: string, data: string) => {
    const answers = [{ name: 'a.example', type: 'A', ttl: 60, data }];
    const dns = { server: '9.9.9.9:53', rcode: 'NOERROR', answers, truncated: false, servers: [] };
    const detail = { assertions: [], error: null, tls: null, facts: { dns } };
    const good = { status: 'ok', failure_source: null, status_code: null } as const;
    return { ...answer({ ...good, scheduled_at: minute * 60_000, detail }), region };
  };
  const answers = [
    seen(0, 'a', 'x'),
    seen(0, 'b', 'y'),
    seen(1, 'a', 'y'),
    seen(1, 'b', 'y'),
    seen(2, 'a', 'y'),
    seen(12, 'a', 'y'),
  ];
  const judge = (on_fail?: 'err' | 'warn') => {
    const asked: Assertion = { type: 'dns_changed', operator: 'eq', value: false, window_minutes: 10, on_fail };
    return judgeAnswers(answers, assertionChange('dns', [], [asked]), 1, [], () => null, 'A').map(one => one.status);
  };
  t.deepEqual(judge(), ['ok', 'ok', 'warn', 'ok', 'warn', 'ok']);
  t.deepEqual(judge('err'), ['ok', 'ok', 'err', 'ok', 'err', 'ok']);
});
