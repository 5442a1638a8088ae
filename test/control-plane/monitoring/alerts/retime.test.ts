import test from 'ava';
import fc from 'fast-check';
import { retimed } from '#control-plane/monitoring/alerts/retime.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';

/** Rows from texts like `down@100`. */
function history(text: string): VerdictChange[] {
  return text.split(' ').map(part => {
    const [verdict = '', since = ''] = part.split('@');
    return { verdict: verdict as VerdictChange['verdict'], since: Number(since), votes: {}, configVersion: 1 };
  });
}

for (const [title, before, after, alert, expected] of [
  [
    'an end that rules waited for moves with its own row',
    'up@0 down@100 up@200 down@220 up@300',
    'up@0 down@100 up@200 down@220 up@310',
    [100, 300],
    [100, 310],
  ],
  ['the same history moves nothing', 'up@0 down@100 up@200', 'up@0 down@100 up@200', [100, 200], [100, 200]],
  ['an earlier start moves the start', 'up@0 down@100 up@200', 'up@0 down@80 up@200', [100, 200], [80, 200]],
  ['a later start moves the start', 'up@0 down@100 up@200', 'up@0 down@150 up@200', [100, 200], [150, 200]],
  ['a later end moves the end', 'up@0 down@100 up@200', 'up@0 down@100 up@250', [100, 200], [100, 250]],
  ['degraded ends it too', 'down@100 up@200', 'down@100 degraded@180', [100, 200], [100, 180]],
  ['deletion ends it too', 'down@100 up@200', 'down@100 deleted@180', [100, 200], [100, 180]],
  ['undetermined does not end it', 'down@100 up@200', 'down@100 undetermined@150 up@220', [100, 200], [100, 220]],
  ['without an end the resolution stays', 'down@100 up@200', 'down@100 undetermined@150', [100, 200], [100, 200]],
  ['an unresolved alert gets no end', 'up@0 down@100', 'up@0 down@80 up@300 down@400', [100, null], [80, null]],
  ['the first of two parts wins', 'down@100 up@200', 'down@90 up@120 down@150 up@210', [100, 200], [90, 120]],
  [
    'an outage before it is another one',
    'up@0 down@100 up@200',
    'down@10 up@50 down@110 up@200',
    [100, 200],
    [110, 200],
  ],
  ['an outage after it is another one', 'up@0 down@100 up@200', 'up@0 down@200 up@300', [100, 200], [100, 200]],
  ['an outage that vanished leaves its alert', 'up@0 down@100 up@200', 'up@0', [100, 200], [100, 200]],
  ['a row that is not in the stretch leaves its alert', 'down@300', 'down@250', [100, null], [100, null]],
  ['a start that is no down row leaves its alert', 'up@100 down@150', 'up@100 down@120', [100, 200], [100, 200]],
] as const) {
  test(title, t => {
    const [started_at, resolved_at] = alert;
    const [startedAt, resolvedAt] = expected;
    const times = { kind: 'down', superseded: false, started_at, resolved_at } as const;
    t.like(retimed(times, history(before), history(after)), {
      started_at: startedAt,
      resolved_at: resolvedAt,
    });
  });
}

test('an unresolved alert does not move to a later down row', t => {
  // down@100, undetermined@200, down@300 and one alert since 100: a late result at 350 replays from down@300.
  const rows = history('down@300');
  const open = { kind: 'down', superseded: false, started_at: 100, resolved_at: null } as const;
  t.is(retimed(open, rows, rows).started_at, 100);
});

for (const [title, before, after, alert, expected] of [
  [
    'a degraded alert moves with its row, and ends with the first row that is up',
    'up@0 degraded@100 down@150 degraded@160 up@200',
    'up@0 degraded@90 down@150 degraded@160 up@210',
    [100, 200],
    [90, 210],
  ],
  ['no outage moves it', 'degraded@100 up@200', 'down@100 up@200', [100, 200], [100, 200]],
  ['it stays where it was before an outage', 'degraded@100 down@150', 'degraded@80 down@150', [100, null], [80, null]],
] as const)
  test(title, t => {
    const times = { kind: 'degraded', superseded: false, started_at: alert[0], resolved_at: alert[1] } as const;
    const { started_at, resolved_at } = retimed(times, history(before), history(after));
    t.deepEqual([started_at, resolved_at], [...expected]);
  });

test('an alert that was superseded keeps its end, which is when the other one opened', t => {
  const times = { kind: 'degraded', superseded: true, started_at: 100, resolved_at: 170 } as const;
  const before = history('degraded@100 down@150 up@300');
  t.like(retimed(times, before, history('degraded@90 down@140 up@280')), { started_at: 90, resolved_at: 170 });
  t.like(retimed(times, before, history('up@0 degraded@120 up@280')), { started_at: 120, resolved_at: 170 });
});

const rows = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 1, max: 100 }),
      verdict: fc.constantFrom<VerdictChange['verdict']>('up', 'down', 'degraded', 'undetermined', 'paused', 'deleted'),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map(steps => {
    let since = 0;
    return steps.map(({ gap, verdict }) => {
      since += gap;
      return { since, verdict, votes: {}, configVersion: 1 };
    });
  });

const kinds = fc.constantFrom('down' as const, 'degraded' as const);

test('a moved alert starts with a row of its kind, stays resolved or not, and never ends before its start', t => {
  fc.assert(
    fc.property(rows, rows, fc.nat(), fc.boolean(), kinds, (before, after, pick, isResolved, kind) => {
      const outages = before.filter(({ verdict }) => verdict === kind);
      fc.pre(outages.length > 0);
      const started_at = outages[pick % outages.length]?.since ?? 0;
      const alert = { kind, superseded: false, started_at, resolved_at: isResolved ? 2000 : null };
      const moved = retimed(alert, before, after);
      t.is(moved.resolved_at === null, alert.resolved_at === null);
      t.true(moved.resolved_at === null || moved.resolved_at >= moved.started_at);
      t.true(
        moved.started_at === started_at ||
          after.some(({ since, verdict }) => since === moved.started_at && verdict === kind),
      );
    }),
  );
});

test('an alert costs the rows that overlap it, however long the history is', t => {
  const verdicts = ['up', 'down'] as const;
  const long = Array.from({ length: 100_000 }, (_, index) => ({ verdict: verdicts[index % 2] ?? 'up', since: index }));
  let reads = 0;
  const counted = new Proxy(long, {
    get: (rows, key, receiver) => {
      reads += 1;
      return Reflect.get(rows, key, receiver);
    },
  });
  const alert = { kind: 'down', superseded: false, started_at: 50_001, resolved_at: 50_002 } as const;
  t.like(retimed(alert, counted, counted), { started_at: 50_001, resolved_at: 50_002 });
  t.true(reads < 300, `${reads} reads`);
});
