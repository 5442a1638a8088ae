import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { sampleEntry, sampleProject, sampleToken } from '../../page/resources.ts';
import { list, problem, Reply, refusal, type Sent } from '../../page/server.ts';

const tokens = [
  sampleToken({ id: 'tok_2', name: 'CI', scopes: ['*'], created_by: null, last_used_at: null }),
  sampleToken({ id: 'tok_3', name: 'Child', created_by: 'tok_2', expires_at: '2027-01-01T00:00:00.000Z' }),
  sampleToken({ id: 'tok_4', name: 'Old', expires_at: '2026-11-01T00:00:00.000Z' }),
  sampleToken({ id: 'tok_5', name: 'Gone', revoked_at: '2026-11-01T00:00:00.000Z' }),
];
const all = { 'GET /v0/tokens': list(tokens) };

test('tokens that still work are shown, the others when they are asked for', async t => {
  const page = await openPage(t, '#/settings/tokens', { answers: all });
  t.deepEqual(page.lacks('Active tokens', 'CI tok_2', 'everything never never', '2027-01-01 00:00:00 UTC'), []);
  t.is(page.rows().length, 2);
  await page.check('Show revoked and expired');
  t.is(page.rows().length, 4);
  t.deepEqual(page.lacks('All tokens', 'Expired', 'Revoked'), []);
  t.false(page.buttons().includes('Revoke Old'));
});

test('a token is revoked, with or without those that it made', async t => {
  const page = await openPage(t, '#/settings/tokens', { answers: all });
  for (const [keeps, asked] of [
    [true, 'keep'],
    [false, 'revoke'],
  ] as const) {
    await page.press('Revoke CI');
    t.deepEqual(page.lacks('Keep 1 token that it made: Child', 'This cannot be undone.'), []);
    if (!keeps) await page.check('Keep 1 token that it made: Child');
    page.server.change({ 'DELETE /v0/tokens/{id}': new Reply(204, null) });
    await page.pressTwice('Revoke token');
    t.is(page.server.sentTo('DELETE /v0/tokens/{id}').at(-1)?.query.get('descendants'), asked);
    t.is(page.dialog(), '');
  }
  t.is(page.server.sentTo('DELETE /v0/tokens/{id}').length, 2);
});

test('who revokes the token of this session is told that it ends', async t => {
  const page = await openPage(t, '#/settings/tokens');
  await page.press('Revoke Terraform');
  t.deepEqual(page.lacks('You are signed in with this token: your session ends at once.'), []);
});

test('a token is rotated: the new secret first, then the old one is revoked', async t => {
  const page = await openPage(t, '#/settings/tokens', { answers: all });
  await page.press('Rotate Child');
  t.deepEqual(page.lacks('same name, scopes (monitors:write) and expiry'), []);
  page.server.change({ 'POST /v0/tokens': sampleToken({ id: 'tok_6', name: 'Child', token: 'upq_new' }) });
  await page.pressTwice('Create the new token');
  t.deepEqual(
    page.server.sentTo('POST /v0/tokens').map(({ body }) => body),
    [{ name: 'Child', scopes: ['monitors:write'], expires_at: '2027-01-01T00:00:00.000Z' }],
  );
  t.deepEqual(page.lacks('upq_new'), []);
  page.server.change({ 'DELETE /v0/tokens/{id}': problem(404, 'not_found', 'it is gone') });
  await page.press('Revoke the old token');
  t.true(page.problems()[0]?.startsWith('It is gone.'));
  await page.press('Later');
  t.is(page.dialog(), '');
});

test('a token can give no scope that it does not have', async t => {
  const scopes = ['tokens:write', 'monitors:read', 'events:write'];
  const page = await openPage(t, '#/settings/tokens', { scopes });
  await page.press('New token');
  const offered = (label: string) =>
    [...page.field(label).querySelectorAll('option')].filter(option => !option.disabled).map(option => option.text);
  t.deepEqual(offered('Monitors'), ['–', 'read']);
  t.deepEqual(offered('Events'), ['–', 'send']);
  t.deepEqual(offered('Alerts'), ['–']);
  await page.press('Deploys');
  t.deepEqual(page.lacks('Choose at least one scope.'), []);
  await page.press('Events');
  await page.type('Name', 'Shop');
  await page.choose('Expires', 'never, or with your own token');
  page.server.change({ 'POST /v0/tokens': sampleToken({ token: 'upq_2' }) });
  await page.press('Create token');
  t.deepEqual(page.server.sentTo('POST /v0/tokens')[0]?.body, { name: 'Shop', scopes: ['events:write'] });
});

test('the audit log is filtered by its address, and its actions follow the resource', async t => {
  const page = await openPage(t, '#/settings/audit?actor=tok_gone&from=2026-11-01');
  t.is(page.value('Actor'), 'tok_gone', 'a token that is gone is still an actor');
  await page.choose('Resource', 'route');
  t.deepEqual(page.options('Action'), ['all', 'Route created', 'Route updated', 'Route ordered', 'Route deleted']);
  await page.choose('Action', 'Route ordered');
  await page.type('To', '2026-11-20');
  const asked = page.server.sentTo('GET /v0/audit').at(-1)?.query;
  t.deepEqual(Object.fromEntries(asked ?? []), {
    ...{ actor: 'tok_gone', resource: 'route', action: 'route.ordered', limit: '50' },
    ...{ from: '2026-11-01T00:00:00Z', to: '2026-11-21T00:00:00.000Z' },
  });
  await page.choose('Resource', 'monitor');
  t.is(page.address(), '#/settings/audit?actor=tok_gone&from=2026-11-01&resource=monitor&to=2026-11-20');
});

test('a date that is none is refused by the API, and the view says so', async t => {
  const answers = { 'GET /v0/audit': refusal({ to: 'is no time' }) };
  const page = await openPage(t, '#/settings/audit?to=soon', { answers });
  t.is(page.server.sentTo('GET /v0/audit')[0]?.query.get('to'), 'soonT00:00:00Z');
  t.deepEqual(page.lacks('To is no time.'), []);
});

test('an entry says who, how, what differs and what else it changed', async t => {
  const entries = [
    sampleEntry({
      before: null,
      after: { name: 'Shop', url: 'u', quorum: 2 },
      action: 'monitor.created',
      via: 'import',
    }),
    sampleEntry({
      id: 'aud_2',
      actor: { type: 'admin', id: 'admin', name: null, token: null },
      before: null,
      after: null,
      detail: { rows: 3 },
    }),
    sampleEntry({
      ...{ id: 'aud_3', action: 'monitor.deleted', before: { name: 'Shop' }, after: null, name: null },
      also: [{ resource: 'status_page', subject: 'sp_1', name: 'Acme', before: { a: [1] }, after: { a: [] } }],
    }),
    sampleEntry({ id: 'aud_4', before: { labels: { a: '1', b: '2' } }, after: { labels: { a: '1', b: '' } } }),
  ];
  const page = await openPage(t, '#/settings/audit', {
    answers: {
      'GET /v0/audit': ({ query }: Sent) =>
        query.has('cursor') ? list([sampleEntry({ id: 'aud_0' })]) : list(entries, 'next'),
    },
  });
  t.deepEqual(
    page.lacks(
      ...['Monitor created Shop Terraform (import), 1 h ago 3 fields', 'the operator, 1 h ago {"rows":3}'],
      ...['Monitor deleted mon_1', '1 effect on other resources', 'a before: 1 after: none'],
      'labels.b before: 2 after: (empty)',
    ),
    [],
  );
  await page.press('Show older');
  t.is(page.all('.audit > li').length, 5);
});

test('a limit that is near or reached says so in words', async t => {
  const quotas = [
    { resource: 'monitors', used: 100, maximum: 100 },
    { resource: 'channels', used: 9, maximum: 10 },
    { resource: 'walls', used: 0, maximum: 5 },
    { resource: 'event_bytes_per_day', used: 0, maximum: 2e9 },
    { resource: 'quite_new', used: 1, maximum: 5 },
  ];
  const page = await openPage(t, '#/settings/limits', {
    answers: { 'GET /v0/project': sampleProject({ quotas: quotas as never }) },
  });
  t.deepEqual(
    page.lacks(
      ...['Monitors used up · 100 of 100', 'Channels nearly used up · 9 of 10', 'Walls 0 of 5', 'quite new 1 of 5'],
      ...['Events today 0 bytes of 2.0 GB', 'about 129,600 events will be kept at any one time'],
    ),
    [],
  );
  const reader = await openPage(t, '#/settings/limits', { scopes: ['project:read'] });
  t.deepEqual(reader.lacks('A token with the scope events:read shows how events grow.'), []);
});

test('what is no number of a project’s settings goes to the API, which says what is wrong', async t => {
  const page = await openPage(t, '#/settings');
  await page.type('Wait before the first message, seconds', 'long');
  page.server.change({ 'PATCH /v0/project': refusal({ 'grouping/wait_seconds': 'must be a number' }) });
  await page.press('Save');
  t.like(page.server.sentTo('PATCH /v0/project')[0]?.body, { grouping: { wait_seconds: 'long', join_seconds: 120 } });
  t.is(page.faultAt('Wait before the first message, seconds'), 'Must be a number.');
  t.deepEqual(page.problems(), ['Please correct the marked fields.']);
});

test('what another operator saves is shown, but never over what is being typed', async t => {
  const page = await openPage(t, '#/settings');
  await page.type('Name', 'Typed');
  page.server.change({ 'GET /v0/project': sampleProject({ name: 'Theirs', allowed_origins: ['https://a.example'] }) });
  await page.comeOnline();
  t.is(page.value('Name'), 'Typed');
  t.is(page.value('Allowed origins'), 'https://a.example');
});
