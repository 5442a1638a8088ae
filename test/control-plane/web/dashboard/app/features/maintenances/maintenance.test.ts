import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { sampleOccurrence, samplePlanned } from '../../page/resources.ts';
import { list, problem, Reply, refusal, type Sent } from '../../page/server.ts';
import { sampleMaintenance } from '../../samples.ts';

const current = sampleOccurrence({
  state: 'in_progress',
  starts_at: '2026-11-21T09:00:00.000Z',
  ends_at: '2026-11-21T11:00:00.000Z',
});
const next = sampleOccurrence();
const schedule = {
  ...{ start: '2026-12-01T02:00:00', timezone: 'Europe/Berlin', duration_seconds: 5400 },
  ...{ rrule: 'FREQ=WEEKLY;BYDAY=TU', exclude: ['2026-12-24'] },
};
const running = sampleMaintenance({ state: 'in_progress', current, announced: true });
const weekly = sampleMaintenance({ schedule, next, starts_at: null, ends_at: null });
const of = (maintenance: object) => ({ 'GET /v0/maintenances/{id}': maintenance });

test('windows stand by what lasts, comes and is over, the next first', async t => {
  const at = (id: string, day: string) =>
    sampleMaintenance({ id, title: id, next: sampleOccurrence({ starts_at: `2026-12-${day}T02:00:00.000Z` }) });
  const over = sampleMaintenance({ id: 'mnt_9', title: 'Old', state: 'completed' });
  const page = await openPage(t, '#/maintenance', {
    answers: {
      'GET /v0/maintenances': ({ query }: Sent) =>
        list(query.get('state')?.includes('completed') ? [over] : [at('late', '09'), at('soon', '02'), running]),
    },
  });
  t.deepEqual(
    page.all('[data-row] .name').map(link => link.textContent),
    ['Database upgrade', 'soon', 'late', 'Old'],
  );
  t.deepEqual(page.headings(), ['Maintenance', 'In progress', 'Coming', 'Over']);
  t.deepEqual(page.lacks('In progress announced', 'ends in 59 min', 'begins in 10 d'), []);
});

test('a recurring window says its rule in words, and its occurrences', async t => {
  const occurrences = [
    sampleOccurrence({ id: 'occ_2', starts_at: '2026-12-08T01:00:00.000Z', ends_at: '2026-12-08T02:30:00.000Z' }),
    sampleOccurrence({ starts_at: '2026-12-01T01:00:00.000Z', ends_at: '2026-12-01T02:30:00.000Z' }),
    sampleOccurrence({ id: 'occ_0', state: 'cancelled', starts_at: '2026-11-17T01:00:00.000Z' }),
  ];
  const page = await openPage(t, '#/maintenance/mnt_1', {
    answers: { ...of(weekly), 'GET /v0/maintenances/{id}/occurrences': list(occurrences) },
  });
  t.deepEqual(page.lacks('Every week on Tuesday, 02:00 Europe/Berlin.', 'Left out: 2026-12-24'), []);
  const spans = page.all('.occurrence').map(item => item.firstChild?.textContent);
  t.deepEqual(spans.slice(0, 2), ['Tue 2026-12-01 01:00–02:30 UTC', 'Tue 2026-12-08 01:00–02:30 UTC']);
  await page.press('Cancel Tue 2026-12-08 01:00–02:30 UTC');
  t.deepEqual(page.lacks('This cancels Tue 2026-12-08 01:00–02:30 UTC. Other occurrences stay.'), []);
  page.server.change({ 'POST /v0/maintenances/{id}/cancel': weekly });
  await page.press('Cancel maintenance');
  t.deepEqual(page.server.sentTo('POST /v0/maintenances/{id}/cancel')[0]?.body, { occurrence_id: 'occ_2' });
  t.is(page.dialog(), '');
});

test('a window that lasts is extended by a quarter or a typed time', async t => {
  const page = await openPage(t, '#/maintenance/mnt_1', { answers: of(running) });
  await page.press('Extend…');
  t.deepEqual(page.lacks('Planned: Sat 2026-11-21 09:00–11:00 UTC.', 'subscribers are notified'), []);
  t.is(page.value('New end (UTC)'), '2026-11-21T11:30');
  await page.press('+ 2 h');
  t.is(page.value('New end (UTC)'), '2026-11-21T13:00');
  page.server.change({ 'POST /v0/maintenances/{id}/extend': refusal({ ends_at: 'is too late' }) });
  await page.press('Extend');
  t.is(page.faultAt('New end (UTC)'), 'Is too late.');
  page.server.change({ 'POST /v0/maintenances/{id}/extend': running });
  await page.press('Extend');
  t.deepEqual(page.server.sentTo('POST /v0/maintenances/{id}/extend').at(-1)?.body, {
    ...{ ends_at: '2026-11-21T13:00:00.000Z', occurrence_id: 'occ_1' },
  });
  t.is(page.dialog(), '');
});

test('ending, cancelling and deleting each say what they do, and can be left', async t => {
  const rows = [
    ['End now…', 'End now', 'POST /v0/maintenances/{id}/end', 'Alerts still open 60 s later are sent.'],
    ['Cancel…', 'Cancel maintenance', 'POST /v0/maintenances/{id}/cancel', 'Its effect until now stays.'],
    ['Delete…', 'Delete', 'DELETE /v0/maintenances/{id}', 'time that did not count will count.'],
  ] as const;
  const page = await openPage(t, '#/maintenance/mnt_1', { answers: of(running) });
  for (const [button, confirm, operation, said] of rows) {
    await page.press(button);
    t.deepEqual(page.lacks(said), []);
    await page.press('Keep it');
    t.deepEqual(page.server.sentTo(operation), []);
    await page.press(button);
    page.server.change({ [operation]: problem(409, 'over', 'it is over') });
    await page.press(confirm);
    t.true(page.problems()[0]?.startsWith('It is over.'));
    page.server.change({ [operation]: operation.startsWith('DELETE') ? new Reply(204, null) : running });
    await page.pressTwice(confirm);
    t.is(page.server.sentTo(operation).length, 2);
    t.is(page.dialog(), '');
  }
  t.is(page.address(), '#/maintenance');
});

test('an announced window gets updates; one that is not says how to announce it', async t => {
  const page = await openPage(t, '#/maintenance/mnt_1', { answers: of(running) });
  await page.choose('State', 'Verifying');
  await page.type('Message', 'Nearly done.');
  page.server.change({ 'POST /v0/maintenances/{id}/updates': running });
  await page.press('Publish update');
  t.deepEqual(page.server.sentTo('POST /v0/maintenances/{id}/updates')[0]?.body, {
    ...{ state: 'verifying', body: 'Nearly done.' },
  });
  t.is(page.value('Message'), '');
  t.deepEqual(page.lacks('Shown from 72 hours before the start. Subscribers are notified of: announced, updates.'), []);
  page.server.change(of(sampleMaintenance({ notify: [] })));
  await page.comeOnline();
  t.deepEqual(page.lacks('Status pages do not show this window.', 'Not announced'), []);
  t.false(page.buttons().includes('Publish update'));
});

test('the calendar shows a month or a week, moves, and keeps its date in the address', async t => {
  const planned = [
    samplePlanned(),
    ...['a', 'b', 'c', 'd', 'e'].map(id =>
      samplePlanned({ id, title: id, starts_at: '2026-12-02T02:00:00.000Z', ends_at: '2026-12-02T03:00:00.000Z' }),
    ),
  ];
  const page = await openPage(t, '#/maintenance?view=month&date=2026-12-05', {
    answers: { 'GET /v0/maintenance-occurrences': list(planned) },
  });
  t.deepEqual(page.lacks('December 2026', 'Times in UTC', '02:00 Database upgrade', '1 more window'), []);
  await page.press('Next month');
  t.is(page.address(), '#/maintenance?view=month&date=2027-01-01');
  await page.press('Today');
  t.is(page.address(), '#/maintenance?view=month');
  t.deepEqual(page.lacks('November 2026'), []);
  await page.press('Week');
  t.deepEqual(page.lacks('16–22 November 2026'), []);
  const { query } = page.server.sentTo('GET /v0/maintenance-occurrences').at(-1) ?? {};
  t.deepEqual([query?.get('from'), query?.get('to')], ['2026-11-16T00:00:00.000Z', '2026-11-22T23:59:59.000Z']);
  await page.go('#/maintenance?view=week&date=nonsense');
  t.deepEqual(page.lacks('16–22 November 2026'), [], 'what is no date is today');
});

test('a window repeats by each rule that is offered', async t => {
  const rows: readonly (readonly [choice: string, rrule: string, said: string])[] = [
    ['Every day', 'FREQ=DAILY', 'Every day'],
    ['Every week', 'FREQ=WEEKLY;BYDAY=TU', 'Every week on Tuesday'],
    ['Every month on day 1', 'FREQ=MONTHLY;BYMONTHDAY=1', 'Every month on day 1'],
    ['Every month on the first Tuesday', 'FREQ=MONTHLY;BYDAY=1TU', 'Every month on the first Tuesday'],
    ['Every year on 1 December', 'FREQ=YEARLY', 'Every year on 1 December'],
  ];
  const page = await openPage(t, '#/maintenance/new');
  await page.type('Start', '2026-12-01T02:00');
  await page.check('Shop');
  for (const [choice, rrule, said] of rows) {
    await page.choose('Repeats', choice);
    const { schedule: sent } = Object(page.server.sentTo('POST /v0/maintenances/preview').at(-1)?.body);
    t.like(sent, { start: '2026-12-01T02:00:00', timezone: 'UTC', duration_seconds: 3600, rrule, exclude: [] });
    t.deepEqual(page.lacks(`${said}, for 1 h 30 min`), []);
  }
});

test('a recurrence ends by date or count, skips dates, and a rule is written by hand', async t => {
  const page = await openPage(t, '#/maintenance/new');
  await page.type('Start', '2026-12-01T02:00');
  await page.check('Shop');
  await page.choose('Repeats', 'Every week');
  await page.type('Interval (weeks)', '2');
  await page.choose('Ends', 'after a number of times');
  await page.type('Times', '5');
  await page.type('Date to leave out', '2026-12-15');
  await page.press('Leave out');
  const sent = () => Object(page.server.sentTo('POST /v0/maintenances/preview').at(-1)?.body).schedule;
  t.like(sent(), { rrule: 'FREQ=WEEKLY;BYDAY=TU;INTERVAL=2;COUNT=5', exclude: ['2026-12-15'] });
  await page.press('Do not leave out 2026-12-15');
  await page.choose('Ends', 'on a date');
  await page.type('Last date', '2027-01-31');
  t.like(sent(), { rrule: 'FREQ=WEEKLY;BYDAY=TU;INTERVAL=2;UNTIL=20270131T235959Z', exclude: [] });
  await page.choose('Repeats', 'By a rule (RRULE)');
  await page.type('Rule', 'RRULE:FREQ=MONTHLY;BYDAY=-1SU');
  t.is(sent().rrule, 'FREQ=MONTHLY;BYDAY=-1SU');
  page.server.change({ 'POST /v0/maintenances/preview': refusal({ 'schedule/rrule': 'does not give the start' }) });
  await page.type('Title', 'X');
  t.deepEqual(page.lacks('schedule rrule does not give the start.'), []);
});

test('the preview says what the window would do, and when it would do nothing', async t => {
  const page = await openPage(t, '#/maintenance/new');
  await page.check('Shop');
  t.deepEqual(
    page.lacks(
      ...['1 monitor matches now.', 'those still open 60 s after the end are sent. The time does not count'],
      ...['Components: Payments.', 'Once, for 1 h 30 min'],
    ),
    [],
  );
  await page.check('Hold alerts');
  await page.check('Announce it');
  t.deepEqual(page.lacks('Alerts are sent as usual.', 'Shown on Acme status.'), []);
  const past = { starts_at: '2026-11-01T02:00:00.000Z', ends_at: '2026-11-01T03:00:00.000Z' };
  page.server.change({
    'POST /v0/maintenances/preview': { occurrences: [past], monitors: 0, components: [], status_pages: [] },
  });
  await page.check('the start');
  t.deepEqual(page.lacks('Nothing would be in maintenance.', 'All of it is past', 'No status page shows it.'), []);
});
