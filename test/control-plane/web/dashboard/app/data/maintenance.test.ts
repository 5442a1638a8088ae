import test from 'ava';
import fc from 'fast-check';
import { maintenancePostSchema } from '#control-plane/monitoring/maintenances/maintenance.ts';
import { instantOfLocal } from '#control-plane/monitoring/maintenances/occurrences/local-time.ts';
import { parseRule } from '#control-plane/monitoring/maintenances/occurrences/rrule.ts';
import { givesStart } from '#control-plane/monitoring/maintenances/occurrences/schedule.ts';
import {
  copyOfMaintenance,
  draftOfMaintenance,
  isRecurring,
  maintenanceBody,
  maintenanceChanges,
  newMaintenance,
  notifyOf,
} from '#control-plane/web/dashboard/app/data/drafts/maintenance-draft.ts';
import {
  describeRecurrence,
  noRecurrence,
  type Recurrence,
  recurrenceOf,
  repeatChoices,
  ruleOf,
  weekdayCodes,
  weekdayOfStart,
} from '#control-plane/web/dashboard/app/data/drafts/recurrence.ts';
import { instantOf, localOf, zoneNameOf, zoneNames } from '#control-plane/web/dashboard/app/data/drafts/zoned-time.ts';
import {
  calendarOf,
  datesShown,
  shareOfDay,
  stepDate,
  titleOf,
} from '#control-plane/web/dashboard/app/data/plots/calendar.ts';
import { formatLength, formatSpan } from '#control-plane/web/dashboard/app/data/plots/span.ts';
import { nowMs, sampleMaintenance } from '../samples.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
const zone = fc.constantFrom(...zones);
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

test('a local time is the same instant as in the API, also across clock changes', t => {
  fc.assert(
    fc.property(start, zone, (local, name) => {
      const ms = instantOf(local, name);
      t.is(ms, instantOfLocal(Date.parse(`${local}Z`), name));
    }),
  );
  t.is(localOf(instantOf('2026-12-01T02:00', 'Europe/Berlin') ?? 0, 'Europe/Berlin'), '2026-12-01T02:00');
  t.is(instantOf('2026-03-29T02:30', 'Europe/Berlin'), Date.UTC(2026, 2, 29, 1, 30), 'skipped: with the offset before');
  t.is(instantOf('2026-10-25T02:30', 'Europe/Berlin'), Date.UTC(2026, 9, 25, 0, 30), 'twice: the first');
  t.is(instantOf('', 'UTC'), null);
  t.is(instantOf('2026-12-01T02:00', 'Europe/Atlantis'), null);
  t.is(localOf(0, 'Europe/Atlantis'), '');
  t.is(zoneNameOf('utc'), 'UTC');
  t.is(zoneNames()[0], 'UTC');
  t.true(zoneNames().includes(zoneNameOf('local')) || zoneNameOf('local') === 'UTC');
});

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

test('a window that is opened and saved untouched changes nothing; a copy begins anew', t => {
  const once = sampleMaintenance();
  const draft = draftOfMaintenance(once, 'Europe/Berlin');
  t.is(draft.start, '2026-12-01T03:00');
  t.deepEqual(maintenanceChanges(draft, draft), {});
  const body = maintenanceBody(draft);
  t.like(body, { starts_at: once.starts_at, ends_at: once.ends_at, schedule: null, notify: once.notify });
  t.true(maintenancePostSchema.safeParse(body).success);
  const copy = copyOfMaintenance(once, nowMs + 1, 'UTC');
  t.like(copy, { title: 'Database upgrade (copy)', start: '2026-11-21T11:00', end: '2026-11-21T12:30' });

  const schedule = {
    start: '2026-12-06T02:30:00',
    timezone: 'Europe/Berlin',
    duration_seconds: 5400,
    rrule: 'FREQ=WEEKLY;BYDAY=SU',
    exclude: ['2026-12-27'],
  };
  const recurring = draftOfMaintenance(sampleMaintenance({ starts_at: null, ends_at: null, schedule }), 'UTC');
  t.true(isRecurring(recurring));
  t.deepEqual(maintenanceBody(recurring).schedule, schedule);
  t.true(maintenancePostSchema.safeParse(maintenanceBody(recurring)).success);
  t.is(copyOfMaintenance(sampleMaintenance({ schedule }), nowMs, 'UTC').start, '2026-12-06T02:30');
  const stopped = { ...recurring, recurrence: noRecurrence };
  t.deepEqual(maintenanceChanges(recurring, stopped), {
    starts_at: '2026-12-06T01:30:00.000Z',
    ends_at: '2026-12-06T03:00:00.000Z',
    schedule: null,
  });
});

test('a new window is valid but for its title and scope, and notifies as the API does by default', t => {
  const draft = { ...newMaintenance(nowMs + 1, 'UTC'), title: ' Upgrade ', selector: ' tier=db ' };
  t.like(draft, { start: '2026-11-21T11:00', end: '2026-11-21T12:00' });
  const body = maintenanceBody(draft);
  t.like(body, { title: 'Upgrade', notify: ['announced', 'updates'] });
  t.is(body.scope.selector, 'tier=db');
  t.true(maintenancePostSchema.safeParse(body).success);
  const weekly = { ...draft, recurrence: { ...noRecurrence, repeat: 'weekly' as const } };
  t.deepEqual(notifyOf(weekly), ['updates']);
  t.deepEqual(notifyOf({ ...weekly, notify: [] }), []);
  t.is(maintenanceBody({ ...draft, start: '' }).starts_at, null);
  t.is(JSON.stringify({ settle: maintenanceBody({ ...draft, settleSeconds: '' }).settle_seconds }), '{"settle":null}');
});

test('a calendar shows whole weeks, and a window on each day on which it lasts', t => {
  t.deepEqual(
    [datesShown('month', '2026-12-15')[0], datesShown('month', '2026-12-15').at(-1)],
    ['2026-11-30', '2027-01-03'],
  );
  t.deepEqual(datesShown('week', '2026-12-15'), datesShown('week', '2026-12-20'));
  t.is(datesShown('month', '2027-02-01').length, 28);
  t.is(stepDate('month', '2026-01-31', 1), '2026-02-01');
  t.is(stepDate('month', '2026-12-31', 1), '2027-01-01');
  t.is(stepDate('week', '2026-12-31', -1), '2026-12-24');
  t.is(titleOf('month', '2026-12-15'), 'December 2026');
  t.is(titleOf('week', '2026-12-15'), '14–20 December 2026');
  t.is(titleOf('week', '2026-12-31'), '28 Dec–3 Jan 2027');
  const entries = [
    { id: 'b', starts_at: '2026-12-15T23:30:00Z', ends_at: '2026-12-17T00:00:00Z' },
    { id: 'a', starts_at: '2026-12-15T01:00:00Z', ends_at: '2026-12-15T02:00:00Z' },
  ];
  const days = calendarOf('month', '2026-12-15', entries, 'UTC');
  const shown = (date: string) => days.find(day => day.date === date)?.entries.map(({ id }) => id);
  t.deepEqual([shown('2026-12-15'), shown('2026-12-16'), shown('2026-12-17')], [['a', 'b'], ['b'], []]);
  t.true(days[0]?.isOutside);
  t.deepEqual(
    calendarOf('week', '2026-12-15', entries, 'Asia/Kathmandu')[2]?.entries.map(({ id }) => id),
    ['b'],
  );
  t.deepEqual(shareOfDay(entries[0] ?? { id: '', starts_at: '', ends_at: '' }, '2026-12-16', 'UTC'), {
    from: 0,
    until: 1,
  });
  t.deepEqual(
    shareOfDay({ id: 'c', starts_at: '2026-12-16T06:00:00Z', ends_at: '2026-12-16T12:00:00Z' }, '2026-12-16', 'UTC'),
    {
      from: 0.25,
      until: 0.5,
    },
  );
});

test('a span names its weekday, and its end in full only on another day', t => {
  t.is(formatSpan('2026-12-01T02:00:00Z', '2026-12-01T03:30:00Z', 'utc'), 'Tue 2026-12-01 02:00–03:30 UTC');
  t.is(
    formatSpan('2026-12-01T22:00:00Z', '2026-12-02T03:30:00Z', 'utc'),
    'Tue 2026-12-01 22:00 – Wed 2026-12-02 03:30 UTC',
  );
  t.is(formatLength('2026-12-01T02:00:00Z', '2026-12-01T03:30:00Z'), '1 h 30 min');
});
