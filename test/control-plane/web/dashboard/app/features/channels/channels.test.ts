import test from 'ava';
import {
  type ChannelType,
  channelTypeNames,
  channelTypes,
} from '#control-plane/web/dashboard/app/features/channels/channel-fields.ts';
import { openPage } from '../../page/open-page.ts';
import { sampleDelivery, sampleWebhook } from '../../page/resources.ts';
import { list, problem, Reply, refusal } from '../../page/server.ts';
import { sampleChannel, sampleRoute } from '../../samples.ts';

const mask = '********';
const labelOf = ({ label, isOptional, kind }: (typeof channelTypes)[ChannelType]['fields'][number]) =>
  isOptional === true && kind !== 'choice' ? `${label} (optional)` : label;
const textOf = (kind: string) =>
  ({ number: '7', list: 'a@example.com', pairs: 'X-Key: 1', area: '{{title}}' })[kind] ?? 'something';

for (const type of channelTypeNames) {
  const { label, fields } = channelTypes[type];

  test(`a channel of type ${label} is tried and created with what was typed`, async t => {
    const page = await openPage(t, '#/channels/new');
    await page.press(page.buttons().find(name => name.startsWith(`${label} ${channelTypes[type].about}`)) ?? label);
    t.is(page.heading(), `New channel: ${label}`);
    await page.type('Name', 'On call');
    for (const field of fields) if (field.kind !== 'choice') await page.type(labelOf(field), textOf(field.kind));
    page.server.change({
      'POST /v0/channels/test': { sent: true, error: null, ms: 1234 },
      'POST /v0/channels': sampleChannel({ type, secret: 'whsec_1' }),
    });
    await page.press('Send a test');
    t.deepEqual(page.lacks('The test was sent. The service took 1.2 s.'), []);
    await page.press('Create channel');
    const [tried] = page.server.sentTo('POST /v0/channels/test').map(({ body }) => Object(body));
    const [made] = page.server.sentTo('POST /v0/channels').map(({ body }) => Object(body));
    t.deepEqual(
      Object.keys(made.config),
      fields.map(({ name }) => name),
    );
    t.deepEqual(tried, { type, config: made.config });
    t.deepEqual(page.lacks('On call was created', 'whsec_1', 'Store it now: it is not shown again.'), []);
  });

  test(`a secret of ${label} is shown masked and kept, and a refusal stands at its field`, async t => {
    const config = Object.fromEntries(
      fields.map(({ name, isSecret, kind }) => [
        name,
        kind === 'list' ? ['a@example.com'] : kind === 'pairs' ? { 'X-Key': mask } : isSecret ? mask : 'set',
      ]),
    );
    const channel = sampleChannel({ type, config } as object);
    const page = await openPage(t, '#/channels/chn_1/edit', { answers: { 'GET /v0/channels/{id}': channel } });
    const secrets = fields.filter(({ isSecret }) => isSecret === true);
    for (const field of secrets)
      if (field.kind === 'pairs') t.true(page.value(labelOf(field)).includes(mask), field.name);
      else t.true(page.buttons().includes(`Replace ${labelOf(field)}, which is set`), field.name);
    const [first] = fields.filter(({ kind }) => kind !== 'choice');
    if (first === undefined) return t.fail();
    page.server.change({ 'POST /v0/channels/test': refusal({ [`config/${first.name}`]: 'is refused' }) });
    await page.press('Send a test');
    t.deepEqual(page.lacks('Is refused.'), []);
    page.server.change({ 'PATCH /v0/channels/{id}': channel });
    await page.type('Name', 'Renamed');
    await page.press('Save');
    t.deepEqual(page.server.sentTo('PATCH /v0/channels/{id}').at(-1)?.body, { name: 'Renamed' });
  });
}

test('a channel says how it is, in the list and by itself', async t => {
  const rows = [
    [{ state: 'failing', last_error: 'status 500' }, 'Failing', 'Last error status 500'],
    [{ enabled: false, state: 'failing' }, 'Disabled', 'Detail Full'],
    [{ state: 'unverified', unconfirmed: ['ops@example.com'] }, 'Not confirmed', 'Waiting for confirmation: ops@'],
    [{ detail: 'brief', last_sent_at: '2026-11-21T09:59:00.000Z' }, 'OK', 'Last sent 1 min ago'],
    [{ type: 'pigeon', config: {} }, 'OK', 'pigeon'],
  ] as const;
  const page = await openPage(t, '#/channels/chn_1');
  for (const [changes, state, said] of rows) {
    const channel = { ...sampleChannel(), ...changes };
    page.server.change({ 'GET /v0/channels/{id}': channel, 'GET /v0/channels': list([channel]) });
    await page.go('#/channels');
    t.deepEqual(page.lacks(`${state} On call`), []);
    await page.go('#/channels/chn_1');
    t.deepEqual(page.lacks(state, said), []);
  }
});

test('a test message is sent, or its refusal is said', async t => {
  const page = await openPage(t, '#/channels/chn_1');
  page.server.change({ 'POST /v0/channels/{id}/test': { sent: false, error: 'status 403', ms: 80 } });
  await page.press('Send a test');
  t.deepEqual(page.problems(), ['The test was not sent: status 403.']);
  page.server.change({ 'POST /v0/channels/{id}/test': { sent: true, error: null, ms: 80 } });
  await page.pressTwice('Send a test');
  t.deepEqual(page.lacks('The service took 80 ms.'), []);
  t.is(page.server.sentTo('POST /v0/channels/{id}/test').length, 2);
});

test('a channel that routes use is not deleted, another one is', async t => {
  const page = await openPage(t, '#/channels/chn_1');
  await page.press('Delete…');
  t.is(page.dialog(), 'On call is in use');
  t.deepEqual(page.links(), [['Production', '#/channels/routes/rte_1']]);
  await page.press('Close');
  page.server.change({ 'GET /v0/routes': list([]) });
  await page.comeOnline();
  await page.press('Delete…');
  page.server.change({ 'DELETE /v0/channels/{id}': problem(409, 'channel_in_use', 'a route uses it') });
  await page.press('Delete channel');
  t.is(page.dialog(), 'On call is in use', 'a route was made meanwhile');
  await page.press('Close');
  page.server.change({ 'DELETE /v0/channels/{id}': new Reply(204, null) });
  await page.press('Delete…');
  await page.press('Delete channel');
  t.is(page.address(), '#/channels');
});

test('a delivery that failed is sent again, and others are not', async t => {
  const deliveries = [
    sampleDelivery({ state: 'failed', error: 'status 500', attempts: 5, sent_at: null }),
    sampleDelivery({ id: 'dlv_2', state: 'sent', recipient: null, step: 'step_2', channel: 'telegram' }),
  ];
  const page = await openPage(t, '#/channels/chn_1', {
    answers: { 'GET /v0/channels/{id}/deliveries': list(deliveries, 'next') },
  });
  t.deepEqual(page.rows(), [
    'Failed Email ops@example.com 9 min ago 5 status 500 Send again',
    'Sent Telegram · step 2 deleted 9 min ago 1',
  ]);
  t.deepEqual(page.lacks('Showing the newest 2 deliveries.'), []);
  page.server.change({ 'POST /v0/deliveries/{id}/replay': new Reply(202, {}) });
  await page.pressTwice('Send again');
  t.deepEqual(
    page.server.sentTo('POST /v0/deliveries/{id}/replay').map(({ path }) => path),
    ['/v0/deliveries/dlv_1/replay'],
  );
});

test('Slack is connected, replaced and disconnected', async t => {
  const connected = { connected: true, connected_at: '2026-11-21T09:00:00.000Z' };
  const page = await openPage(t, '#/channels', { answers: { 'GET /v0/slack': connected } });
  t.deepEqual(page.lacks('Connected since 1 h ago'), []);
  await page.press('Replace…');
  t.is(page.dialog(), 'Connect Slack');
  await page.press('Cancel');
  page.server.change({
    'DELETE /v0/slack': new Reply(204, null),
    'GET /v0/slack': { connected: false, connected_at: null },
  });
  await page.press('Disconnect');
  t.deepEqual(page.lacks('Not connected', 'Connect…'), []);
});

test('a webhook is changed, gets a new secret, and is deleted', async t => {
  const webhook = sampleWebhook({ failures: 3 });
  const page = await openPage(t, '#/channels', { answers: { 'GET /v0/webhooks': list([webhook]) } });
  t.deepEqual(page.lacks('Failing https://ops.example/hook 1 kind of event · 3 deliveries in a row failed'), []);
  await page.press('https://ops.example/hook');
  await page.check('Enabled');
  page.server.change({ 'PATCH /v0/webhooks/{id}': webhook });
  await page.press('Save');
  t.like(page.server.sentTo('PATCH /v0/webhooks/{id}')[0]?.body, { enabled: false, kinds: ['alert.opened'] });
  await page.press('https://ops.example/hook');
  page.server.change({ 'POST /v0/webhooks/{id}/rotate-secret': { ...webhook, secret: 'whsec_2' } });
  await page.press('New signing secret');
  t.is(page.dialog(), 'The signing secret');
  t.deepEqual(page.lacks('whsec_2'), []);
  t.deepEqual(page.server.sentTo('POST /v0/webhooks/{id}/rotate-secret')[0]?.body, { overlap_seconds: 86_400 });
  await page.press('I’ve saved it');
  await page.press('https://ops.example/hook');
  page.server.change({ 'DELETE /v0/webhooks/{id}': new Reply(204, null), 'GET /v0/webhooks': list([]) });
  await page.press('Delete');
  t.is(page.dialog(), '');
  t.deepEqual(page.lacks('None. A webhook receives each event of the kinds it subscribes to.'), []);
});

test('a list without routes says how to get one, and names what each route would do', async t => {
  const page = await openPage(t, '#/channels', { answers: { 'GET /v0/routes': list([]) } });
  t.deepEqual(page.lacks('No routes yet: no channel is notified.', 'Create the first route', 'no route uses it'), []);
  const quiet = {
    timezone: 'UTC',
    days: ['mo'] as const,
    from: '22:00',
    to: '07:00',
    except_severities: ['p1'] as const,
  };
  const route = sampleRoute({
    ...{ enabled: false, continue: true, remind_every_minutes: 30, quiet_hours: quiet as never },
    steps: [
      { after_minutes: 0, channel_ids: ['chn_1'] },
      { after_minutes: 15, channel_ids: ['chn_9'] },
    ],
  });
  page.server.change({ 'GET /v0/routes': list([route]) });
  await page.comeOnline();
  t.deepEqual(
    page.lacks(
      ...['1. Production disabled env=prod · P1', 'at once On call', 'after 15 min chn_9'],
      'Reminds every 30 min · Quiet Mon 22:00–07:00 UTC, except P1 · Later routes are tried as well',
    ),
    [],
  );
});
