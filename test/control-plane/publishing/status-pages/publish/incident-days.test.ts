import test from 'ava';
import fc from 'fast-check';
import { calendarOf } from '#control-plane/publishing/status-pages/publish/days.ts';
import { type IncidentSpan, reportedDays } from '#control-plane/publishing/status-pages/publish/incident-days.ts';
import type { DayLevel } from '#control-plane/publishing/status-pages/publish/page-model.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { type ComponentStatus, componentStatuses, type Impact, impacts } from '#shared/vocabulary.ts';

/** 14:05 on the last of five days. */
const now = Date.UTC(2026, 10, 21, 14, 5);
const calendar = calendarOf('UTC', 5, now);
const [first = 0] = calendar.bounds;
const spanOf = (impact: Impact, startHours: number, endHours: number | null): IncidentSpan => ({
  impact,
  startedAt: first + startHours * hourMs,
  resolvedAt: endHours === null ? null : first + endHours * hourMs,
});
const daysOf = (spans: IncidentSpan[], createdAt = 0, status: ComponentStatus = 'operational') =>
  reportedDays(spans, calendar, { createdAt, status });
const levelsOf = (...given: Parameters<typeof daysOf>) => daysOf(...given).days.map(({ level }) => level);

const cases: [title: string, spans: IncidentSpan[], levels: DayLevel[]][] = [
  ['nothing happened', [], ['up', 'up', 'up', 'up', 'up']],
  ['within a day', [spanOf('partial', 25, 27)], ['up', 'partial', 'up', 'up', 'up']],
  ['over midnight', [spanOf('degraded', 47, 49)], ['up', 'degraded', 'degraded', 'up', 'up']],
  ['up to midnight', [spanOf('degraded', 40, 48)], ['up', 'degraded', 'up', 'up', 'up']],
  ['still open', [spanOf('major', 80, null)], ['up', 'up', 'up', 'down', 'down']],
  ['from before the first day', [spanOf('major', -90, 1)], ['down', 'up', 'up', 'up', 'up']],
  ['over before the first day', [spanOf('major', -90, -1)], ['up', 'up', 'up', 'up', 'up']],
  ['of no length', [spanOf('partial', 30, 30)], ['up', 'partial', 'up', 'up', 'up']],
  ['without impact', [spanOf('none', 25, 27)], ['up', 'up', 'up', 'up', 'up']],
  [
    'the worst of two',
    [spanOf('degraded', 0, 60), spanOf('major', 26, 27)],
    ['degraded', 'down', 'degraded', 'up', 'up'],
  ],
];
for (const [title, spans, levels] of cases)
  test(`days of incidents: ${title}`, t => {
    t.deepEqual(levelsOf(spans), levels);
  });

test('time of several incidents counts once, as the worst of them', t => {
  const { days, incidentCount } = daysOf([
    spanOf('degraded', 24, 30),
    spanOf('partial', 26, 28),
    spanOf('major', 27, 29),
    spanOf('none', 24, 48),
  ]);
  t.like(days[1], { level: 'down', downMs: 3 * hourMs, degradedMs: 3 * hourMs, uptime: null });
  t.is(incidentCount, 3);
});

test('days before the component existed are without data, never up', t => {
  const created = first + 2 * dayMs + hourMs;
  t.deepEqual(levelsOf([spanOf('major', 20, 30)], created), ['none', 'none', 'up', 'up', 'up']);
  t.is(daysOf([spanOf('major', 20, 30)], created).incidentCount, 0);
  t.deepEqual(levelsOf([], now + dayMs), ['none', 'none', 'none', 'none', 'none']);
});

test('today is never better than what the operator set', t => {
  const today = (status: ComponentStatus) => levelsOf([], 0, status).at(-1);
  t.deepEqual(componentStatuses.map(today), ['up', 'degraded', 'partial', 'down', 'up']);
  t.is(levelsOf([spanOf('major', 100, null)], 0, 'degraded_performance').at(-1), 'down');
});

const spans = fc.array(
  fc
    .tuple(fc.constantFrom(...impacts), fc.integer({ min: -60, max: 110 }), fc.option(fc.integer({ min: 0, max: 90 })))
    .map(([impact, start, length]) => spanOf(impact, start, length === null ? null : start + length)),
  { maxLength: 8 },
);

test('time affected is never longer than its day, and a day with any is never up', t => {
  fc.assert(
    fc.property(spans, given => {
      const { days } = daysOf(given);
      t.is(days.length, 5);
      for (const [index, { level, downMs, degradedMs }] of days.entries()) {
        const length = (calendar.bounds[index + 1] ?? 0) - (calendar.bounds[index] ?? 0);
        t.true(downMs >= 0 && degradedMs >= 0 && downMs + degradedMs <= length);
        t.is(level === 'up', downMs + degradedMs === 0);
        t.is(level === 'degraded', downMs === 0 && degradedMs > 0);
      }
    }),
  );
});
