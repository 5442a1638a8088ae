import test from 'ava';
import { type FailedResult, reasonOf } from '#control-plane/monitoring/alerts/reason.ts';
import type { ResultDetail } from '#control-plane/monitoring/checks/result.ts';

type Outcome = ResultDetail['assertions'][number];

const outcome = (changes: Partial<Outcome>): Outcome => ({
  index: 0,
  type: 'status',
  passed: false,
  expected: 'status eq 200',
  actual: '503',
  ...changes,
});
const failed = (changes: Partial<ResultDetail>, status: FailedResult['status'] = 'err'): FailedResult => ({
  region: 'a',
  status,
  status_code: 503,
  detail: {
    timings: null,
    error: null,
    assertions: [],
    remote_ip: null,
    bytes: 0,
    truncated: false,
    tls: null,
    ...changes,
  },
});
const nothing = { expected: null, actual: null, error_code: null };
const challenge = { kind: 'challenge', provider: 'cloudflare', confidence: 'certain' } as const;
const refused = { code: 'connect_refused' as const, message: 'connection refused' };

for (const [title, result, expected] of [
  [
    'without a result: the quorum',
    null,
    { ...nothing, summary: 'checks are failing in a quorum of regions', region: null, status_code: null },
  ],
  [
    'an error: its message and code',
    failed({ error: refused }),
    { ...nothing, summary: 'connection refused', region: 'a', status_code: 503, error_code: 'connect_refused' },
  ],
  [
    'a failed assertion: what was expected and what came',
    failed({ assertions: [outcome({})] }),
    {
      ...nothing,
      summary: 'expected status eq 200, got 503',
      region: 'a',
      status_code: 503,
      expected: 'status eq 200',
      actual: '503',
    },
  ],
  [
    'a failed assertion that found nothing',
    failed({ assertions: [outcome({ expected: '$.ok exists', actual: null })] }),
    {
      ...nothing,
      summary: 'expected $.ok exists, got nothing',
      region: 'a',
      status_code: 503,
      expected: '$.ok exists',
      actual: null,
    },
  ],
  [
    'several assertions: the first that failed',
    failed({
      assertions: [
        outcome({ passed: true, expected: 'first' }),
        outcome({ passed: null, expected: 'second' }),
        outcome({ expected: 'third', actual: 'x' }),
        outcome({ expected: 'fourth' }),
      ],
    }),
    { ...nothing, summary: 'expected third, got x', region: 'a', status_code: 503, expected: 'third', actual: 'x' },
  ],
  [
    'several assertions: the first that does not only warn',
    {
      ...failed({
        assertions: [
          outcome({ type: 'latency', expected: 'first' }),
          outcome({ index: 1, type: 'latency_p95', expected: 'second' }),
          outcome({ index: 2, expected: 'third', actual: 'x' }),
        ],
      }),
      warnOn: [0],
    },
    { ...nothing, summary: 'expected third, got x', region: 'a', status_code: 503, expected: 'third', actual: 'x' },
  ],
  [
    'an error beside a failed assertion: the error',
    failed({ error: refused, assertions: [outcome({})] }),
    { ...nothing, summary: 'connection refused', region: 'a', status_code: 503, error_code: 'connect_refused' },
  ],
  [
    'an answer of something else: with what it was',
    failed({ assertions: [outcome({})], facts: { diagnosis: { ...challenge, rules: 1 } } }),
    {
      ...nothing,
      summary: 'expected status eq 200, got 503 (answered by cloudflare: challenge)',
      region: 'a',
      status_code: 503,
      expected: 'status eq 200',
      actual: '503',
      diagnosis: challenge,
    },
  ],
  [
    'neither error nor failed assertion',
    failed({ assertions: [outcome({ passed: true })] }),
    { ...nothing, summary: 'the check failed', region: 'a', status_code: 503 },
  ],
  [
    'a warning without a failed assertion: the certificate',
    failed(
      { tls: { protocol: 'TLSv1.3', valid_to: '2026-12-01T00:00:00.000Z', days_left: 6 }, assertions: [] },
      'warn',
    ),
    { ...nothing, summary: 'the certificate ends in 6 days', region: 'a', status_code: 503 },
  ],
] as const) {
  test(`reason of ${title}`, t => {
    t.deepEqual(reasonOf(result), expected);
  });
}
