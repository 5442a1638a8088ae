import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import {
  sampleComparison,
  sampleEvent,
  sampleFlow,
  sampleRate,
  sampleRelease,
  sampleReport,
  sampleSteps,
} from '../../page/resources.ts';
import { list, problem, Reply, refusal, type Sent } from '../../page/server.ts';
import { sampleIncident } from '../../samples.ts';

test('events are listed as they arrive, each once, with who sent them and how late', async t => {
  const late = sampleEvent({
    id: 'evt_2',
    name: 'failed',
    type: 'error',
    external_user_id: null,
    timestamp: '2026-11-21T09:50:00.000Z',
  });
  const { session_id: _, props: __, ...bare } = sampleEvent({ id: 'evt_3', name: 'seen', external_user_id: null });
  const page = await openPage(t, '#/events', { answers: { 'GET /v0/events': list([sampleEvent(), late, bare]) } });
  t.is(page.rows().length, 3);
  t.deepEqual(page.lacks('Track signed up u1 {"plan":"pro"}', 'Error failed 9 min late session s1', 'nobody'), []);
  t.true(page.links().some(([name, href]) => name === 'u1' && href === '#/events/user?id=u1'));
  page.server.change({
    'GET /v0/events': list([sampleEvent({ id: 'evt_4', name: 'paid', ingested_at: '2026-11-21T09:59:59.000Z' })]),
  });
  await page.comeOnline();
  t.is(page.rows().length, 4);
  t.true(page.rows()[0]?.includes('paid'));
});

test('the tail stands still while it is paused, and its filters are in the address', async t => {
  const page = await openPage(t, '#/events');
  await page.press('Pause');
  page.server.change({ 'GET /v0/events': list([sampleEvent({ id: 'evt_5', name: 'new' })]) });
  await page.comeOnline();
  t.false(page.text().includes('new'));
  await page.press('Resume');
  await page.comeOnline();
  t.deepEqual(page.lacks('Track new'), []);
  page.server.change({ 'GET /v0/events': list([]) });
  await page.type('Event name', ' paid ');
  await page.choose('Type', 'error');
  t.is(page.address(), '#/events?name=paid&types=error');
  t.deepEqual(page.lacks('No events of the last hour match.'), []);
});

test('the rate says what is used up, and what was refused and why', async t => {
  const rate = sampleRate({
    minutes: [
      { at: '2026-11-21T09:58:00.000Z', stored: 5940, known: 0, refused: 60 },
      { at: '2026-11-21T09:59:00.000Z', stored: 1, known: 0, refused: 0 },
    ],
    bytes_today: { used: 1_000_000, maximum: 1_000_000, resets_at: '2026-11-22T00:00:00.000Z' },
    refusals: [
      { code: 'rate_limited', events: 1200, last_at: '2026-11-21T09:58:30.000Z' },
      { code: 'quite_new', events: 1, last_at: '2026-11-21T09:58:30.000Z' },
    ],
  });
  const page = await openPage(t, '#/events', { answers: { 'GET /v0/events/rate': rate } });
  t.deepEqual(
    page.lacks(
      ...['100 events per second, last minute', 'Bytes today used up · 1.0 MB of 1.0 MB'],
      ...['1,200 sent faster than the limit rate_limited', '1 quite new quite_new'],
      'Last hour: 5,941 events, 60 refused, 6000 in the busiest minute',
    ),
    [],
  );
});

test('a user’s sessions stand apart, among releases and incidents', async t => {
  const items = [
    sampleEvent({ id: 'a', session_id: 's2', timestamp: '2026-11-21T09:50:00.000Z' }),
    sampleEvent({ id: 'b', session_id: 's2', type: 'error', name: 'TypeError', timestamp: '2026-11-21T09:49:00.000Z' }),
    sampleEvent({ id: 'c', timestamp: '2026-11-21T09:20:00.000Z' }),
  ];
  const page = await openPage(t, '#/events/user?id=u%2F1', {
    answers: {
      'GET /v0/users/{id}/timeline': list(items, 'next'),
      'GET /v0/releases': list([sampleRelease()]),
      'GET /v0/incidents': list([sampleIncident({ started_at: '2026-11-21T09:30:00.000Z' })]),
    },
  });
  t.is(page.heading(), 'u/1');
  t.true(page.server.unanswered.some(operation => operation.startsWith('GET /v0/users/u%2F1/timeline')));
  await page.go('#/events/user?id=u1');
  t.deepEqual(page.lacks('2 sessions, 2 events, 1 error so far', 'Session s2', 'Error TypeError', '1.2.0'), []);
  t.true(page.links().some(([name]) => name === 'Shop is down'));
  page.server.change({ 'GET /v0/users/{id}/timeline': list([sampleEvent({ id: 'd', session_id: 's0' })]) });
  await page.press('Show older');
  t.deepEqual(page.lacks('3 sessions, 3 events, 1 error'), []);
});

test('a user is erased once the ID is typed, by those who may', async t => {
  const erasure = { id: 'ers_1', user: 'secret:1', state: 'queued', events: 0, hours_recomputed: 0, hours_kept: 0 };
  const answers = { 'DELETE /v0/users/{id}': { ...erasure, requested_at: '2026-11-21T10:00:00.000Z', done_at: null } };
  const page = await openPage(t, '#/events/user?id=u1', { answers });
  await page.press('Erase');
  t.deepEqual(page.lacks('Erase this user?', 'count anew', 'Backups hold the events'), []);
  await page.type('Type u1 to confirm', 'u1');
  await page.press('Erase');
  t.is(page.server.sentTo('DELETE /v0/users/u1').length, 1);
  const reader = await openPage(t, '#/events/user?id=u1', { scopes: ['events:read', 'users:write'] });
  t.deepEqual(
    reader.buttons().filter(name => ['Export', 'Erase'].includes(name)),
    ['Erase'],
  );
});

test('a user is found by an ID, which stands in the address', async t => {
  const page = await openPage(t, '#/events/user');
  t.is(page.heading(), 'User timeline');
  await page.type('User ID', ' u1 ');
  await page.press('Show timeline');
  t.is(page.address(), '#/events/user?id=u1');
  t.deepEqual(page.lacks('1 session, 1 event, 0 errors'), []);
});

test('a funnel is grouped by what the address says, and names what limits it', async t => {
  const group = (users: number) =>
    sampleSteps.map(step => ({ ...step, users: Math.round(users * (step.from_first ?? 0)) }));
  const rows = [
    [
      'by=day',
      { group_by: 'day', buckets: [{ bucket: '2026-11-20T00:00:00Z', steps: group(40) }] },
      '2026-11-20 40 10',
    ],
    [
      'by=release',
      {
        group_by: 'release',
        releases: [
          { release_id: null, version: null, name: null, released_at: null, steps: group(4) },
          {
            release_id: 'rel_1',
            version: '1.2.0',
            name: 'Fix',
            released_at: '2026-11-20T10:00:00.000Z',
            steps: group(8),
          },
        ],
      },
      '1.2.0 · Fix 2026-11-20 10:00:00 UTC 8 2 25% Before the first release 4 1',
    ],
    [
      'by=property&property=plan',
      {
        ...{ group_by: 'property', property: 'plan' },
        values: [
          { type: 'value', value: 'true', steps: group(12) },
          { type: 'missing', value: null, steps: group(4) },
        ],
      },
      '"true" 12 3 25% Without the property 4 1',
    ],
    ['by=none&days=30', { estimated: true, roll_up: { hours: 720, pending: 20 } }, '20 of 720 hours are not rolled up'],
  ] as const;
  const page = await openPage(t, '#/events/flows/flw_1');
  for (const [query, changes, said] of rows) {
    page.server.change({ 'GET /v0/flows/{id}/report': { ...sampleReport(), ...changes } });
    await page.go('#/nowhere');
    await page.go(`#/events/flows/flw_1?${query}`);
    t.deepEqual(page.lacks(said), []);
    const asked = page.server.sentTo('GET /v0/flows/{id}/report').at(-1)?.query;
    t.is(asked?.get('group_by'), changes && 'group_by' in changes ? changes.group_by : 'none');
  }
  await page.choose('Last', 'a year');
  t.is(page.address(), '#/events/flows/flw_1?by=none&days=365');
  t.false(page.options('Group by').includes('hour'), 'a year has too many hours');
});

test('a property is named before anything is grouped by it', async t => {
  const page = await openPage(t, '#/events/flows/flw_1?by=property');
  t.deepEqual(page.lacks('Name a property of the first step'), []);
  await page.type('Property of signed up', ' plan ');
  t.is(page.address(), '#/events/flows/flw_1?by=property&property=plan');
});

test('a flow is deleted after it was asked, and one that cannot be counted says so', async t => {
  const failing = { 'GET /v0/flows/{id}/report': problem(503, 'busy', 'too much to do') };
  const page = await openPage(t, '#/events/flows', { answers: failing });
  t.deepEqual(page.lacks('could not be counted'), []);
  await page.go('#/events/flows/flw_1');
  t.true(page.problems()[0]?.startsWith('Too much to do. Try again.'));
  await page.press('Delete…');
  page.server.change({ 'DELETE /v0/flows/{id}': new Reply(204, null) });
  await page.pressTwice('Delete flow');
  t.is(page.server.sentTo('DELETE /v0/flows/{id}').length, 1);
  t.is(page.address(), '#/events/flows');
});

test('steps of a flow are added, moved, removed, and have conditions', async t => {
  const page = await openPage(t, '#/events/flows/new');
  await page.type('Event', 'signed up', 0);
  await page.type('Event', 'paid', 1);
  await page.press('Add step');
  await page.type('Event', 'left', 2);
  await page.press('Move step 3 up');
  await page.press('Remove step 3');
  await page.press('Add a condition on a property');
  await page.type('Property 1 of step 1', 'plan');
  await page.choose('Operator 1 of step 1', 'is one of');
  await page.type('Value 1 of step 1', 'pro, team');
  await page.press('Add a condition on a property');
  await page.choose('Operator 2 of step 1', 'exists');
  t.false(page.fields().includes('Value 2 of step 1'));
  await page.press('Remove condition 2 of step 1');
  page.server.change({
    'POST /v0/flows': refusal({ 'steps/1/event': 'is not known', 'steps/0/where/0/value': 'is long' }),
  });
  await page.press('Create flow');
  t.deepEqual(page.lacks('Event is not known.', 'Value 1 is long.'), []);
  t.like(page.server.sentTo('POST /v0/flows')[0]?.body, {
    steps: [
      { event: 'signed up', where: [{ prop: 'plan', op: 'in', value: ['pro', 'team'] }] },
      { event: 'left', where: [] },
    ],
  });
});

test('a change of its rule makes a new version of a flow, a new name does not', async t => {
  const page = await openPage(t, '#/events/flows/flw_1/edit', { answers: { 'GET /v0/flows/{id}': sampleFlow() } });
  t.deepEqual([page.value('Conversion window'), page.value('Time unit')], ['1', '86400']);
  await page.type('Name', 'Renamed');
  t.false(page.text().includes('This makes a new version'));
  await page.choose('Order', 'No other event may come between');
  t.deepEqual(page.lacks('This makes a new version'), []);
});

test('a release says what changed after it, and is never called the cause', async t => {
  const release = sampleRelease({ name: 'Autumn', url: 'https://git.example/1.2.0', commit_sha: '0123456789abcdef' });
  const page = await openPage(t, '#/events/releases', {
    answers: {
      'GET /v0/releases': ({ query }: Sent) =>
        query.has('cursor') ? list([sampleRelease({ id: 'rel_0', version: '1.1.0' })]) : list([release], 'next'),
    },
  });
  t.deepEqual(
    page.lacks('1.2.0 Autumn production 0123456789 30 min ago', 'Unlikely', '900 users, 9 with errors (1%)'),
    [],
  );
  const rows = [
    [{ verdict: 'suspect', new_errors: [{ name: 'TypeError', users: 3 }] }, 'New errors: TypeError (3)'],
    [{ verdict: 'cannot_tell', reason: 'too_close', before: null }, 'Less than five minutes on one side.'],
    [{ verdict: 'cannot_tell', reason: null }, 'Not enough data.'],
  ] as const;
  for (const [changes, said] of rows) {
    page.server.change({ 'GET /v0/releases/{id}/comparison': { ...sampleComparison(), ...changes } });
    await page.comeOnline();
    t.deepEqual(page.lacks(said), []);
    t.false(/caused|cause of/.test(page.text()));
  }
  await page.press('Show older');
  t.deepEqual(page.lacks('1.1.0'), []);
  page.server.change({ 'GET /v0/releases/{id}/comparison': problem(404, 'not_found', 'gone') });
  await page.go('#/events');
  await page.go('#/events/releases');
  t.deepEqual(page.lacks('Could not be compared.'), []);
});
