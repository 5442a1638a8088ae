import test from 'ava';
import { daysOf } from '#control-plane/dashboard/app/data/days.ts';
import { alertRow, describeReason } from '#control-plane/dashboard/app/parts/alert-row.ts';
import { uptimeBars, uptimeHistory } from '#control-plane/dashboard/app/parts/bars.ts';
import { checkTable } from '#control-plane/dashboard/app/parts/check-table.ts';
import { voteList } from '#control-plane/dashboard/app/parts/votes.ts';
import { elementsIn, find, textOf, textsOf } from '../descriptions.ts';
import { nowMs, sampleAlert, sampleBucket, sampleCheck } from '../samples.ts';

test('an alert’s reason names its source and the failing regions', t => {
  const expected = 'expected status eq 200, got 503 (us); failing in 2 of 3 regions: eu, us';
  t.is(describeReason(sampleAlert()), expected);
  const single = sampleAlert({ regions: ['eu'], regions_failing: ['eu'] });
  single.reason.region = null;
  t.is(describeReason(single), 'expected status eq 200, got 503; failing in 1 of 1 region: eu');
});

test('a resolved alert is quiet, an open one stands out', t => {
  t.is(alertRow(sampleAlert(), nowMs).attributes.class, 'card alert bad');
  const resolved = sampleAlert({ state: 'resolved', resolved_at: '2026-11-21T09:55:00.000Z' });
  t.is(alertRow(resolved, nowMs).attributes.class, 'card alert quiet');
  t.true(textOf(alertRow(resolved, nowMs)).includes('started 10 min ago, lasted 5 min'));
});

test('bars describe each day, mark downtime with a notch, and sum up for screen readers', t => {
  const buckets = [
    sampleBucket({ bucket: '2026-11-19', uptime: 0.5, down_seconds: 43_200 }),
    sampleBucket({ bucket: '2026-11-20', uptime: 0.999, down_seconds: 86, degraded_seconds: 120 }),
  ];
  const bars = uptimeBars(daysOf(buckets, nowMs, 3));
  t.deepEqual(textsOf(bars, 'title'), [
    '2026-11-19: 50.00%, down 12 h',
    '2026-11-20: 99.900%, down 1 min 26 s, degraded 2 min',
    '2026-11-21: no data',
  ]);
  t.is(elementsIn(bars).filter(({ attributes }) => attributes.class === 'notch').length, 2);
  t.is(bars.attributes['aria-label'], '3 days: 74.95% up, 2 days with downtime, 1 day without data');
  t.is(uptimeBars(daysOf([], nowMs, 2)).attributes['aria-label'], '2 days: no data');
});

test('uptime without any measurement reads no data, not a figure', t => {
  const drawn = uptimeBars([]);
  t.is(textOf(uptimeHistory(null, 'Loading…')), 'Loading…');
  t.is(textOf(uptimeHistory({ uptime: null, drawn }, '')), 'no data');
  t.is(textOf(uptimeHistory({ uptime: 1, drawn }, '')), '100%');
});

test('votes show their label, and their age once they have one', t => {
  const votes = [
    { region: 'eu', vote: 'down', as_of: '2026-11-21T09:59:30.000Z', reason: null },
    { region: 'us', vote: 'unknown', as_of: null, reason: 'no_result' },
  ] as const;
  t.deepEqual(textsOf(voteList(votes, nowMs), 'li'), ['eudown30 s', 'usunknownno result yet']);
});

test('a check shows what failed, whose fault it was, and what each assertion found', t => {
  const assertion = { index: 0, type: 'status', expected: 'status eq 200' } as const;
  const check = sampleCheck({
    status: 'err',
    attempt: 2,
    kind: 'confirm',
    latency_ms: null,
    status_code: null,
    error: { code: 'dns_failure', message: 'no such name' },
    failure_source: 'resolver',
    remote_ip: '192.0.2.1',
    timings: { dns_ms: 12.34, connect_ms: null, tls_ms: null, first_byte_ms: 40, download_ms: null },
    assertions: [
      { ...assertion, passed: false, actual: '503' },
      { ...assertion, passed: true, actual: '200' },
      { ...assertion, passed: null, actual: null, skipped: 'no response' },
    ],
  });
  const table = checkTable([check], nowMs);
  const cells = textsOf(table, 'td');
  t.is(cells[0], 'Failed');
  t.is(cells[1], '1 min ago retry confirmation');
  t.is(cells[3], '–');
  t.is(cells[4], '–');
  const outcome = 'no such name dns_failure caused by the resolver, not the target' + 'expected status eq 200, got 503';
  t.true(cells[5]?.startsWith(outcome), cells[5]);
  t.deepEqual(textsOf(find(table, 'dl'), 'dt'), [
    'Scheduled',
    'dns',
    'first byte',
    'IP address',
    'status failed',
    'status passed',
    'status skipped',
  ]);
  t.true(textOf(table).includes('12.3 ms'));
});

test('a failure of the target is not excused', t => {
  const check = sampleCheck({ status: 'err', failure_source: 'target', error: { code: 'timeout', message: 'late' } });
  t.false(textOf(checkTable([check], nowMs)).includes('caused by'));
});
