import test from 'ava';
import fc from 'fast-check';
import { parseRule } from '#control-plane/monitoring/maintenances/occurrences/rrule.ts';
import { givesStart } from '#control-plane/monitoring/maintenances/occurrences/schedule.ts';
import {
  describeRecurrence,
  noRecurrence,
  type Recurrence,
  recurrenceOf,
  repeatChoices,
  ruleOf,
  weekdayCodes,
  weekdayOfStart,
} from '#control-plane/web/dashboard/app/features/maintenances/recurrence.ts';

const start = fc
  .integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2030, 0, 1) / 60_000 })
  .map(minutes => new Date(minutes * 60_000).toISOString().slice(0, 16));

/** What the builder offers for a start, with its start on one of the weekdays. */
function recurrenceFor(from: string): fc.Arbitrary<Recurrence> {
  const offered = repeatChoices(from).flatMap(([repeat]) => (['none', 'custom'].includes(repeat) ? [] : [repeat]));
  return fc
    .record({
      repeat: fc.constantFrom(...offered),
      interval: fc.integer({ min: 1, max: 12 }).map(String),
      weekdays: fc.subarray([...weekdayCodes]),
      ends: fc.constantFrom('never' as const, 'count' as const, 'until' as const),
      count: fc.integer({ min: 1, max: 100 }).map(String),
      until: fc.constant('2031-05-05'),
      custom: fc.constant(''),
    })
    .map(made => {
      const own = weekdayOfStart(from);
      const weekdays = weekdayCodes.filter(code => code === own || made.weekdays.includes(code));
      return { ...made, weekdays: made.repeat === 'weekly' ? weekdays : [] };
    });
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

const zone = fc.constantFrom(...zones);

test('each rule of the builder is one of the API that gives its start, and opens as it was built', t => {
  const built = start.chain(from => fc.tuple(fc.constant(from), recurrenceFor(from), zone));
  fc.assert(
    fc.property(built, ([from, recurrence, timezone]) => {
      const rrule = ruleOf(recurrence, from, timezone);
      t.notThrows(() => parseRule(rrule), rrule);
      const schedule = { start: `${from}:00`, timezone, duration_seconds: 600, rrule, exclude: [] };
      t.true(givesStart(schedule), `${rrule} from ${from}`);
      const opened = recurrenceOf(rrule, from, timezone);
      t.is(ruleOf(opened, from, timezone), rrule);
      t.is(describeRecurrence(opened, from), describeRecurrence(recurrence, from));
    }),
  );
});

test('a rule beyond the builder stays as it is written', t => {
  const rule = 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1';
  const opened = recurrenceOf(rule, '2026-11-30T02:00', 'UTC');
  t.is(opened.repeat, 'custom');
  t.is(ruleOf(opened, '2026-11-30T02:00', 'UTC'), rule);
  t.is(describeRecurrence(opened, '2026-11-30T02:00'), rule);
  t.is(recurrenceOf('FREQ=DAILY;UNTIL=20270101T120000Z', '2026-11-30T02:00', 'UTC').repeat, 'custom');
  t.is(recurrenceOf('FREQ=WEEKLY', '2026-11-30T02:00', 'UTC').repeat, 'weekly');
  t.is(recurrenceOf('FREQ=MONTHLY', '2026-11-30T02:00', 'UTC').repeat, 'monthly');
});

test('a recurrence is a sentence', t => {
  const cases: [rule: string, start: string, sentence: string][] = [
    ['FREQ=DAILY', '2026-12-01T02:00', 'Every day'],
    ['FREQ=DAILY;INTERVAL=3;COUNT=5', '2026-12-01T02:00', 'Every 3 days, 5 times'],
    ['FREQ=WEEKLY;BYDAY=SU', '2026-12-06T02:30', 'Every week on Sunday'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH', '2026-12-01T02:00', 'Every 2 weeks on Tuesday and Thursday'],
    ['FREQ=MONTHLY;BYMONTHDAY=15', '2026-12-15T02:00', 'Every month on day 15'],
    ['FREQ=MONTHLY;BYDAY=3SU', '2026-12-20T02:00', 'Every month on the third Sunday'],
    ['FREQ=MONTHLY;BYDAY=-1SU', '2026-12-27T02:00', 'Every month on the last Sunday'],
    ['FREQ=YEARLY', '2026-12-01T02:00', 'Every year on 1 December'],
    ['FREQ=DAILY;UNTIL=20270630T235959Z', '2026-12-01T02:00', 'Every day, until 2027-06-30'],
  ];
  for (const [rule, from, sentence] of cases)
    t.is(describeRecurrence(recurrenceOf(rule, from, 'UTC'), from), sentence, rule);
  t.is(describeRecurrence(noRecurrence, ''), 'Once');
});
