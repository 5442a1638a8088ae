import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { list, lost, problem, Reply, refusal, type Sent } from '../../page/server.ts';
import { sampleChannel, sampleMonitor, sampleRoute } from '../../samples.ts';

const routes = ['A', 'B', 'C'].map((name, position) => sampleRoute({ id: `rte_${name}`, name, position }));
const handle = (name: string, at: number) => `Move ${name}: position ${at} of 3, arrow keys move it`;
const order = (page: { all(selector: string): HTMLElement[] }) =>
  page.all('.route .name').map(link => link.textContent);

test('a route moves by the arrow keys, keeps the focus, and what is pressed meanwhile is stored next', async t => {
  let stored = routes;
  const page = await openPage(t, '#/channels', {
    answers: {
      'GET /v0/routes': () => list(stored),
      'POST /v0/routes/order': ({ body }: Sent) => {
        const { ids } = body as { ids: string[] };
        stored = ids.flatMap(id => routes.find(route => route.id === id) ?? []);
        return list(stored);
      },
    },
  });
  page
    .all('.handle')
    .find(button => button.getAttribute('aria-label') === handle('A', 1))
    ?.focus();
  await page.key('ArrowUp');
  t.deepEqual(page.server.sentTo('POST /v0/routes/order'), [], 'it is the first');
  await page.key('ArrowDown');
  t.deepEqual(order(page), ['B', 'A', 'C']);
  t.is(page.focused(), handle('A', 2));
  await page.key('ArrowDown');
  await page.key('ArrowDown');
  t.deepEqual(order(page), ['B', 'C', 'A']);
  t.deepEqual(
    page.server.sentTo('POST /v0/routes/order').map(({ body }) => (body as { ids: string[] }).ids.join()),
    ['rte_B,rte_A,rte_C', 'rte_B,rte_C,rte_A'],
  );
  t.true(page.wholeText().includes('A: position 3 of 3'));
});

test('an order that is not stored goes back to what it was, and says why', async t => {
  const page = await openPage(t, '#/channels', {
    answers: { 'GET /v0/routes': list(routes), 'POST /v0/routes/order': lost },
  });
  page.all('.handle')[0]?.focus();
  await page.key('ArrowDown');
  t.deepEqual(order(page), ['A', 'B', 'C']);
  t.deepEqual(page.problems(), ['The server cannot be reached. Check the connection, then try again.']);
});

test('one route, or a token that may only read, has no handles', async t => {
  t.is((await openPage(t, '#/channels')).all('.handle').length, 0);
  const answers = { 'GET /v0/routes': list(routes) };
  const reader = await openPage(t, '#/channels', { answers, scopes: ['channels:read', 'routes:read'] });
  t.deepEqual(order(reader), ['A', 'B', 'C']);
  t.is(reader.all('.handle').length, 0);
});

test('steps are added, timed and removed', async t => {
  const channels = [sampleChannel(), sampleChannel({ id: 'chn_2', name: 'Boss', enabled: false })];
  const page = await openPage(t, '#/channels/routes/new', { answers: { 'GET /v0/channels': list(channels) } });
  await page.press('Add a step');
  await page.press('Add a step');
  const minutes = 'Minutes after the start, if nobody has acknowledged';
  t.deepEqual([page.value(minutes, 0), page.value(minutes, 1)], ['15', '30']);
  await page.press('Remove step 2');
  await page.type(minutes, '20');
  t.deepEqual(
    page.all('.step-draft legend').map(legend => legend.textContent),
    ['Channels', 'Channels of step 2'],
  );
  for (const box of page.all('.step-draft:nth-child(2) input[type="checkbox"]').slice(0, 1)) box.click();
  await page.settle();
  page.server.change({
    'POST /v0/routes': refusal({ 'steps/0/channel_ids': 'are missing', 'steps/1/after_minutes': 'x' }),
  });
  await page.press('Create route');
  t.deepEqual(page.lacks('Are missing.', 'X.'), []);
  t.like(page.server.sentTo('POST /v0/routes')[0]?.body, {
    steps: [
      { after_minutes: 0, channel_ids: [] },
      { after_minutes: 20, channel_ids: ['chn_2'] },
    ],
  });
});

test('quiet hours begin as they are usual, and are told in a sentence', async t => {
  const page = await openPage(t, '#/channels/routes/new');
  await page.check('Hold messages in quiet hours');
  t.deepEqual(page.lacks('Quiet every day 22:00–07:00 UTC, except P1.'), []);
  await page.check('Sat');
  await page.check('Sun');
  await page.type('From', '20:00');
  t.deepEqual(page.lacks('Quiet Mon–Fri 20:00–07:00 UTC, except P1.'), []);
  page.server.change({ 'POST /v0/routes': sampleRoute() });
  await page.press('Create route');
  t.like(page.server.sentTo('POST /v0/routes')[0]?.body, {
    quiet_hours: {
      ...{ timezone: 'UTC', days: ['mo', 'tu', 'we', 'th', 'fr'], from: '20:00', to: '07:00' },
      except_severities: ['p1'],
    },
  });
});

test('a selector says at once what it matches, and offers the labels in use', async t => {
  const page = await openPage(t, '#/channels/routes/new');
  const field = 'Of monitors with these labels (all, if it is empty)';
  const matching = (answer: unknown) => page.server.change({ 'GET /v0/monitors': answer });
  matching(list(['a', 'b', 'c', 'd'].map(name => sampleMonitor({ id: `mon_${name}`, name }))));
  await page.press('Add env=prod');
  t.is(page.value(field), 'env=prod');
  t.deepEqual(page.lacks('Matches 4 monitors now: a, b, c, …'), []);
  matching(list([]));
  await page.type(field, 'env=test');
  t.deepEqual(page.lacks('No monitor matches now.', 'A route with labels gets no notices'), []);
  matching(problem(422, 'validation_failed', '`env in` is no selector'));
  await page.type(field, 'env in');
  t.deepEqual(page.lacks('Env in is no selector.'), []);
  await page.press('Add env=prod');
  t.is(page.value(field), 'env in, env=prod');
});

test('a label whose value has other characters is offered in quotes', async t => {
  const answers = { 'GET /v0/labels': { data: [{ key: 'team', values: [{ value: 'a "b", c', monitors: 1 }] }] } };
  const page = await openPage(t, '#/channels/routes/new', { answers });
  t.true(page.buttons().includes('Add team="a \\"b\\", c"'));
});

test('who would be notified is told before anything happens', async t => {
  const match = {
    routes: [
      {
        ...{ id: 'rte_1', held_until: '2026-11-22T07:00:00.000Z', reminders: [] },
        steps: [{ due_at: '2026-11-21T10:15:00.000Z', channel_ids: ['chn_1'] }],
      },
    ],
  };
  const page = await openPage(t, '#/channels');
  t.deepEqual(page.lacks('No route matches.'), []);
  page.server.change({ 'POST /v0/routes/match': match, 'GET /v0/monitors': list([]) });
  await page.type('Or labels', 'env=prod');
  await page.choose('Severity', 'P1');
  t.like(page.server.sentTo('POST /v0/routes/match').at(-1)?.body, { labels: { env: 'prod' }, severity: 'p1' });
  t.deepEqual(page.lacks('Production', 'Quiet hours: held until 2026-11-22 07:00:00 UTC.', 'On call'), []);
  await page.type('Monitor', 'Shop');
  t.deepEqual(page.lacks('No monitor has this name.'), []);
  page.server.change({ 'GET /v0/monitors': list([sampleMonitor()]) });
  await page.type('Monitor', '');
  await page.type('Monitor', 'Shop');
  await page.type('At', '2026-12-24T20:00');
  t.like(page.server.sentTo('POST /v0/routes/match').at(-1)?.body, {
    ...{ monitor_id: 'mon_1', at: '2026-12-24T20:00:00.000Z' },
  });
});

test('a route is deleted after it was asked', async t => {
  const page = await openPage(t, '#/channels/routes/rte_1');
  await page.press('Delete…');
  t.is(page.dialog(), 'Delete Production?');
  await page.press('Cancel');
  await page.press('Delete…');
  page.server.change({ 'DELETE /v0/routes/{id}': new Reply(204, null) });
  await page.pressTwice('Delete route');
  t.is(page.server.sentTo('DELETE /v0/routes/{id}').length, 1);
  t.is(page.address(), '#/channels');
});
