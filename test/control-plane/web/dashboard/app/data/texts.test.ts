import test from 'ava';
import { describeHold, describeReason } from '#control-plane/web/dashboard/app/data/describe/alert.ts';
import {
  describeError,
  fieldError,
  otherErrors,
  remedyOf,
} from '#control-plane/web/dashboard/app/data/describe/error.ts';
import { describeVotes } from '#control-plane/web/dashboard/app/data/describe/votes.ts';
import { type Node, parseMarkdown } from '#control-plane/web/dashboard/app/data/markdown.ts';
import { daysOf, describeDay, describeDays } from '#control-plane/web/dashboard/app/data/plots/days.ts';
import { ApiProblem } from '#control-plane/web/dashboard/app/data/server/api.ts';
import {
  formatAgo,
  formatDuration,
  formatLongDuration,
  formatTime,
} from '#control-plane/web/dashboard/app/data/time.ts';
import { scriptPayloads } from '#test/support/script-payloads.ts';
import { nowMs, sampleAlert, sampleBucket } from '../samples.ts';

const before = (seconds: number) => new Date(nowMs - seconds * 1000).toISOString();
const invalid = new ApiProblem(422, {
  detail: 'the body is invalid',
  errors: [
    { pointer: '/name', code: 'required', detail: 'must not be empty' },
    { pointer: '/regions/0', code: 'unknown', detail: 'there is no region `mars`' },
    { parameter: 'limit', code: 'range', detail: 'must be at most 200' },
  ],
});

test('durations are rounded down to whole units', t => {
  const cases: [number, string, string][] = [
    [-5, '0 s', '0 s'],
    [999, '0 s', '0 s'],
    [59_999, '59 s', '59 s'],
    [60_000, '1 min', '1 min'],
    [61_000, '1 min', '1 min 1 s'],
    [4_320_000, '1 h', '1 h 12 min'],
    [86_399_000, '23 h', '23 h 59 min'],
    [90_000_000, '1 d', '1 d 1 h'],
    [86_460_000, '1 d', '1 d'],
  ];
  for (const [ms, short, long] of cases) {
    t.is(formatDuration(ms), short, `${ms}`);
    t.is(formatLongDuration(ms), long, `${ms}`);
  }
});

test('an age says now within a second and a half, and in for the future', t => {
  const texts = [0, 1.4, 1.6, 90, -1, -30].map(seconds => formatAgo(before(seconds), nowMs));
  t.deepEqual(texts, ['now', 'now', '1 s ago', '1 min ago', 'now', 'in 30 s']);
});

test('a time names its zone', t => {
  t.is(formatTime('2026-11-21T09:00:00.123Z', 'utc'), '2026-11-21 09:00:00 UTC');
  t.regex(formatTime('2026-11-21T09:00:00.123Z', 'local'), /^2026-11-2\d \d\d:\d\d:00 [+-]\d\d:\d\d$/);
});

test('an error is described in a sentence, with what to do', t => {
  const timeout = Object.assign(new Error('aborted'), { name: 'TimeoutError' });
  const scope = new ApiProblem(403, { detail: 'this endpoint needs the scope `alerts:read`' });
  t.is(describeError(scope), 'This endpoint needs the scope alerts:read.');
  t.is(describeError(new ApiProblem(500, { detail: 'Try again!' })), 'Try again!');
  t.is(describeError(timeout), 'The server did not respond in time.');
  t.is(describeError(new TypeError('Failed to fetch')), 'The server cannot be reached.');
  t.regex(remedyOf(new ApiProblem(503, {})) ?? '', /request ID/);
  t.regex(remedyOf(new ApiProblem(412, {})) ?? '', /Reload/);
  t.is(remedyOf(new ApiProblem(409, {})), null);
});

test('a field shows its own error, and the note lists the others', t => {
  t.is(fieldError(invalid, 'name'), 'Must not be empty.');
  t.is(fieldError(invalid, 'regions'), 'There is no region mars.');
  t.is(fieldError(invalid, 'url'), null);
  t.is(fieldError(new Error('offline'), 'name'), null);
  t.deepEqual(otherErrors(invalid, ['name']), ['Regions.0 there is no region mars.', 'Limit must be at most 200.']);
});

test('an alert’s reason names its source and the failing regions', t => {
  t.is(describeReason(sampleAlert()), 'Expected status eq 200, got 503 (us) · failing in 2 of 3 regions: eu, us');
  const single = sampleAlert({ regions: ['eu'], regions_failing: ['eu'] });
  single.reason.region = null;
  t.is(describeReason(single), 'Expected status eq 200, got 503 · failing in 1 of 1 region: eu');
  t.true(describeReason(sampleAlert({ kind: 'degraded' })).endsWith('warning or failing in 2 of 3 regions: eu, us'));
});

test('an alert says what maintenance keeps from people', t => {
  const held = sampleAlert({ held: true, held_since: '2026-11-21T09:50:10.000Z' });
  t.is(describeHold(sampleAlert()), null);
  t.is(describeHold(held), 'In maintenance: nobody was notified');
  t.is(describeHold({ ...held, state: 'resolved' }), 'Resolved during maintenance: nobody was notified');
  const told = { ...held, held_since: '2026-11-21T09:55:00.000Z' };
  t.is(describeHold(told), 'In maintenance: nothing more is sent until it ends');
  t.is(describeHold({ ...told, state: 'resolved' }), null);
});

test('votes name the few regions that are not up, and count many', t => {
  const votes = (...list: ('up' | 'down' | 'unknown')[]) => list.map((vote, index) => ({ region: `r${index}`, vote }));
  t.is(describeVotes(votes('up', 'up')), 'all up');
  t.is(describeVotes(votes('up', 'down')), 'r1 down');
  t.is(describeVotes(votes('down', 'down', 'down')), 'all down');
  t.is(describeVotes(votes('down', 'unknown', 'down', 'up')), '2 down, 1 unknown');
});

test('days are described each, and summed up for screen readers; a day without data is not up', t => {
  const buckets = [
    sampleBucket({ bucket: '2026-11-19', uptime: 0.5, down_seconds: 43_200 }),
    sampleBucket({ bucket: '2026-11-20', uptime: 0.999, down_seconds: 86, degraded_seconds: 120 }),
  ];
  const days = daysOf(buckets, nowMs, 3);
  t.deepEqual(days.map(describeDay), [
    '2026-11-19: 50.00%, down 12 h',
    '2026-11-20: 99.900%, down 1 min 26 s, degraded 2 min',
    '2026-11-21: no data',
  ]);
  t.is(describeDays(days), '3 days: 74.95% up, 2 days with downtime, 1 day without data');
  t.is(describeDays(daysOf([], nowMs, 2)), '2 days: no data');
});

test('Markdown becomes elements that hold no markup of its author', t => {
  const [paragraph, list] = parseMarkdown('Our **provider** [says](https://a.example/) <b>no</b>\n\n- one');
  t.is(textOf(paragraph), 'Our provider says <b>no</b>');
  t.is(textOf(list), 'one');
  const tags = new Set<string>();
  const addresses = new Set<string | null>();
  const visit = (node: Node): void => {
    if (typeof node === 'string') return;
    tags.add(node.tag);
    addresses.add(node.href);
    for (const child of node.children) visit(child);
  };
  for (const payload of [...scriptPayloads, '![x](javascript:alert(1))', '[x](data:text/html,a)'])
    for (const node of parseMarkdown(payload)) visit(node);
  t.deepEqual(
    [...tags].filter(tag => /script|img|iframe|svg|style/i.test(tag)),
    [],
  );
  t.deepEqual(
    [...addresses].filter(address => address !== null && !/^(https?|mailto):/.test(address)),
    [],
  );
});

function textOf(node: Node | undefined): string {
  if (node === undefined || typeof node === 'string') return node ?? '';
  return node.children.map(textOf).join('').trim();
}
