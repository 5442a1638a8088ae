import test from 'ava';
import {
  plotOf,
  queryOfTrends,
  readQuestion,
  toggleName,
  writeNames,
} from '#control-plane/web/dashboard/app/features/events/explore/question.ts';
import {
  plotOfRetention,
  shareOfAll,
} from '#control-plane/web/dashboard/app/features/events/explore/retention-question.ts';
import { openPage } from '../../page/open-page.ts';
import { sampleEventName, sampleRetention, sampleTrends } from '../../page/resources.ts';
import { list, Reply } from '../../page/server.ts';

test('without a choice the most frequent event is shown; others are added and taken away', async t => {
  const names = [sampleEventName(), sampleEventName({ name: 'paid', count: 30, users: 20, users_estimated: true })];
  const page = await openPage(t, '#/events/explore', { answers: { 'GET /v0/event-names': list(names) } });
  t.deepEqual(page.lacks('signed up 1,200 800', 'paid 30 ≈ 20', 'signed up 1,517 20', 'Users are different ones'), []);
  const asked = page.server.sent.filter(({ path }) => path === '/v0/trends');
  t.is(asked.at(-1)?.query.get('event'), '["signed up"]');
  await page.press('paid');
  t.is(page.address(), `#/events/explore?event=${encodeURIComponent('["signed up","paid"]').replaceAll('%20', '+')}`);
  await page.press('signed up');
  t.is(readQuestion(new URLSearchParams(page.address().split('?')[1])).names.join(), 'paid');
  await page.choose('Range', 'a year by week');
  await page.choose('Count', 'users');
  t.true(page.address().includes('span=1y') && page.address().includes('measure=users'));
  await page.type('Break down by a property', ' plan ');
  t.true(page.address().includes('by=plan'));
});

test('a breakdown says how many days are counted until it is there', async t => {
  let send: (value: object) => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start: controller => {
      send = value => controller.enqueue(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
    },
  });
  const reply = new Reply(200, body, { 'content-type': 'application/x-ndjson' });
  const page = await openPage(t, '#/events/explore?event=["paid"]&by=plan', { answers: { 'GET /v0/trends': reply } });
  send({ counted: 3, parts: 30 });
  await page.settle();
  t.deepEqual(page.lacks('Counting events: 3 of 30 days'), []);
  send(sampleTrends({ breakdown: 'plan' }));
  await page.settle();
  t.deepEqual(page.lacks('Users are different ones'), []);
});

test('an empty project shows how to send a first event; a search without a match says so', async t => {
  const page = await openPage(t, '#/events/explore', { answers: { 'GET /v0/event-names': list([]) } });
  t.deepEqual(page.lacks('No events in the last 7 days.', 'curl'), []);
  page.server.change({ 'GET /v0/event-names': list([sampleEventName()]) });
  await page.comeOnline();
  page.server.change({ 'GET /v0/event-names': list([]) });
  await page.type('Find an event', 'nothing');
  t.deepEqual(page.lacks('No events of the last 7 days match.'), []);
});

test('retention is a table of shares; the address holds what is asked', async t => {
  const names = [sampleEventName(), sampleEventName({ name: 'paid' })];
  const page = await openPage(t, '#/events/explore', { answers: { 'GET /v0/event-names': list(names) } });
  await page.choose('Show', 'retention');
  // Of 40 and 60 users, 20 and 24 came back; the third week is not over.
  t.deepEqual(
    page.lacks('All 107', '2026-11-02 40 100% 40 50% 20 12.5% 5 so far', '2026-11-16 so far 7 100% 7 so far'),
    [],
  );
  await page.choose('Came back by', 'paid');
  await page.choose('By', 'day');
  await page.choose('Cohort', 'any in the period');
  t.true(page.address().endsWith('?show=retention&return=paid&period=day&cohort=any'));
  const asked = page.server.sent.filter(({ path }) => path === '/v0/retention').at(-1)?.query;
  t.deepEqual(
    ['start', 'return', 'granularity', 'cohort', 'periods'].map(name => asked?.get(name)),
    [...['signed up', 'paid', 'day', 'any', '13']],
  );
  const [cohort] = sampleRetention().cohorts;
  const unknown = { users: null, returned: [null], reason: 'zone_between_hours' as const };
  page.server.change({
    'GET /v0/retention': sampleRetention({ cohorts: cohort === undefined ? [] : [{ ...cohort, ...unknown }, cohort] }),
  });
  await page.choose('By', 'week');
  t.deepEqual(page.lacks('do not begin with a whole hour of UTC'), []);
});

test('what is not counted is said', async t => {
  const [series] = sampleTrends().series;
  const trends = sampleTrends({
    series: series === undefined ? [] : [{ ...series, complete_from: '2026-11-20T00:00:00.000Z' }],
    names_truncated: true,
    users_estimated: true,
  });
  const page = await openPage(t, '#/events/explore', { answers: { 'GET /v0/trends': trends } });
  t.deepEqual(page.lacks('are not counted', 'counted as (other)', 'standard error 0.81 %'), []);
});

test('the address is any text', t => {
  const read = (text: string) => readQuestion(new URLSearchParams(text));
  const usual = { names: [], type: 'track', span: '30d', measure: 'events', breakdown: '' };
  for (const text of ['', 'event=[', 'event={"a":1}&type=x&span=toString&measure=x', 'event=[1]&by=plan'])
    t.deepEqual(read(text) as unknown, usual);
  const many = Array.from({ length: 12 }, (_, index) => `n${index}`);
  t.is(read(new URLSearchParams({ event: writeNames(many) }).toString()).names.length, 10);
  t.deepEqual(toggleName(many.slice(0, 10), 'new').length, 10);
  t.is(read('event=["a","b"]&by=plan').breakdown, '', 'of one event alone');
});

test('a question is asked of the zone, and answers are lines with releases', t => {
  const question = readQuestion(new URLSearchParams('event=["a"]&by=plan&span=48h'));
  const nowMs = Date.UTC(2026, 10, 21, 10);
  t.deepEqual(queryOfTrends(question, 'Europe/Berlin', nowMs), {
    ...{ event: '["a"]', type: 'track', granularity: 'hour', timezone: 'Europe/Berlin', breakdown: 'plan' },
    from: '2026-11-19T10:00:00.000Z',
  });
  const release = { release_id: 'rel_1', version: '1.2', name: null, released_at: '2026-11-20T06:00:00.000Z' };
  const plot = plotOf(sampleTrends({ releases: [release] }), 'users');
  t.deepEqual(plot.lines, [{ label: 'signed up', values: [8, 9, 7] }]);
  t.is(plot.times[0], Date.UTC(2026, 10, 19, 12) / 1000);
  t.deepEqual(plot.marks, [{ at: Date.UTC(2026, 10, 20, 6) / 1000, label: '1.2', text: '1.2' }]);
});

test('shares of all count periods that are over; a line follows a period over the cohorts', t => {
  const retention = sampleRetention();
  t.deepEqual(
    [0, 1, 2, 3].map(period => shareOfAll(retention.cohorts, period)),
    [1, 0.5, null, null],
  );
  t.deepEqual(plotOfRetention(retention).lines, [
    { label: 'Week 1', values: [50, 40, null] },
    { label: 'Week 2', values: [12.5, null, null] },
  ]);
});
