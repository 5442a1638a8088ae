import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { type RunningControlPlane, startControlPlane } from '#control-plane/control-plane.ts';
import { queueNotice } from '#control-plane/on-call/channels/queue-store.ts';
import { createLog } from '#shared/log.ts';
import { channelConfigs } from '#test/support/channel-configs.ts';
import { sampleNotice } from '#test/support/channel-notice.ts';
import { apiOf, configFor, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { beforeDrop, useDatabase } from '#test/support/database.ts';
import { type Mailbox, startMailbox } from '#test/support/mailbox.ts';
import { readTables } from '#test/support/tables.ts';
import { answer, silent, startTarget, type Target } from '#test/support/target.ts';

const databaseOf = useDatabase(test);
const mask = '********';

/** What the replica of all tests logs. */
const lines: string[] = [];
/** Stands for the services whose addresses are settings. */
let services: Target;
let mailbox: Mailbox;
let shared: Promise<RunningControlPlane> | null = null;
test.before(async () => {
  [services, mailbox] = [await startTarget(), await startMailbox()];
});
test.after.always(() => Promise.all([services, mailbox].map(server => server[Symbol.asyncDispose]())));

/** The replica of all tests. */
function openReplica(): Promise<RunningControlPlane> {
  if (shared !== null) return shared;
  const log = createLog({ name: 'test', level: 'trace', destination: { write: (line: string) => lines.push(line) } });
  const base = services.url.replace(/\/$/, '');
  const addresses = { pagerdutyApiUrl: base, opsgenieApiUrl: base, telegramApiUrl: base };
  const emails = { smtpUrl: mailbox.url, channelMailDomains: ['own.example'] };
  const starting = startControlPlane(configFor(databaseOf(), { ...addresses, ...emails, logLevel: 'trace' }), log);
  beforeDrop(databaseOf(), async () => (await starting).stop());
  shared = starting;
  return starting;
}

async function openTarget(t: ExecutionContext): Promise<Target> {
  const target = await startTarget(answer(200, '{"ok":true}'));
  t.teardown(() => target[Symbol.asyncDispose]());
  return target;
}

function useServices(): Target {
  services.requests.length = 0;
  services.behaviour = answer(200, '{"ok":true}');
  return services;
}

/** A project whose channels call a target of the test's own, or the services. */
async function openWorld(t: ExecutionContext, of: 'target' | 'services' = 'target') {
  const target = of === 'target' ? await openTarget(t) : useServices();
  const replica = await openReplica();
  const { projectId, token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const create = async (type: string, config: unknown, more = {}) => {
    const made = await api('POST', '/v0/channels', { type, name: `${type} ${randomUUID()}`, config, ...more });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return made.body;
  };
  const queue = (channelId: string, key: string, sequence = 1, groupId = 'agp_1') =>
    withSql(databaseOf(), sql => {
      const queued = {
        projectId,
        kind: 'alert_channel',
        key,
        thread: groupId,
        sequence,
        channelIds: [channelId],
      } as const;
      return queueNotice(sql, { ...queued, alertId: null, routeId: null, notice: sampleNotice(groupId) }, Date.now());
    });
  type Shown = { state: string; attempts: number; error: string | null; channel: string; recipient: string };
  const deliveries = async (channelId: string) => {
    const shown = await api('GET', `/v0/channels/${channelId}/deliveries`);
    return shown.body.data as Shown[];
  };
  return { target, replica, api, projectId, token, create, queue, deliveries };
}

const pathsOf = (target: Target) =>
  target.requests.map(({ method, url }) => `${method} ${url.split('?')[0]?.replace(/dlv_\w+$/, 'dlv')}`);

test.serial(
  'a channel shows no secret, keeps those that are sent back masked, and refuses what it cannot keep',
  async t => {
    const { api, create, target } = await openWorld(t);
    const channel = await create('http', channelConfigs(target.url).http, { detail: 'brief' });
    t.like(channel, { type: 'http', detail: 'brief', enabled: true, state: 'ok', key: null, managed_by: null });
    t.is(channel.config.url, mask);
    t.deepEqual(channel.config.headers, { authorization: mask });
    const path = `/v0/channels/${channel.id}`;
    const same = await api('PATCH', path, { config: channel.config });
    t.deepEqual([same.status, same.body.updated_at], [200, channel.updated_at], 'nothing changed');
    const changed = await api('PATCH', path, { config: { ...channel.config, method: 'POST' }, name: 'other' });
    t.like(changed.body, { name: 'other', config: { method: 'POST', url: mask } });
    t.is((await api('PATCH', path, { name: 'x' }, { 'if-match': channel.updated_at })).status, 412);
    const wrong: [body: object, pointer: string, code: string][] = [
      [{ config: { ...channel.config, headers: { 'x-new': mask } } }, '/config/headers/x-new', 'not_allowed'],
      [{ config: { method: 'POST', template: 'x' } }, '/config/url', 'required'],
      [{ config: { ...channel.config, template: '{"a":{{title}}}' } }, '/config/template', 'format'],
      [{ config: { ...channel.config, urll: 'x' } }, '/config/urll', 'not_allowed'],
      [{ type: 'email' }, '/type', 'read_only'],
    ];
    for (const [body, pointer, code] of wrong) {
      const refused = await api('PATCH', path, body);
      t.deepEqual(
        [refused.status, refused.body.errors?.[0]?.pointer, refused.body.errors?.[0]?.code],
        [422, pointer, code],
      );
    }
    const again = await api('POST', '/v0/channels', {
      type: 'http',
      name: 'other',
      config: channelConfigs(target.url).http,
    });
    t.deepEqual([again.status, again.body.code], [409, 'name_taken']);
    t.is((await api('POST', '/v0/channels', { type: 'fax', name: 'f', config: {} })).body.errors[0].pointer, '/type');
    t.is((await api('DELETE', path)).status, 204);
    t.is((await api('GET', path)).status, 404);
  },
);

test.serial('a literal address that channels may not call is refused when it is stored', async t => {
  const replica = await startReplica(databaseOf(), { outboundPolicy: { base: 'public', allow: [] } });
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const body = { type: 'teams', name: 't', config: { url: 'http://10.0.0.1/x' } };
  const refused = await api('POST', '/v0/channels', body);
  t.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/config/url']);
});

test.serial('a test before saving may take masked secrets from the channel, but not to another server', async t => {
  const { api, create, target } = await openWorld(t);
  const { id, type, config } = await create('http', channelConfigs(target.url).http);
  const tried = await api('POST', '/v0/channels/test', { type, config: { ...config, method: 'POST' }, channel_id: id });
  t.like(tried.body, { sent: true, error: null });
  t.like(target.requests.at(-1), { method: 'POST' });
  t.true(target.requests.at(-1)?.url.endsWith('/secret-http'));
  const refusals: [body: object, pointer: string][] = [
    [{ type, config }, '/config/url'],
    [{ type, config: { ...config, url: 'https://other.example/' }, channel_id: id }, '/config/headers/authorization'],
    [{ type: 'teams', config: { url: mask }, channel_id: id }, '/channel_id'],
    [{ type, config, channel_id: 'chn_1' }, '/channel_id'],
  ];
  for (const [body, pointer] of refusals) {
    const refused = await api('POST', '/v0/channels/test', body);
    t.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [422, pointer], JSON.stringify(refused.body));
  }
});

/** Their services have one address for everybody, which no setting replaces. */
const withoutStub = ['pushover', 'incident_io', 'jira_service_management'];

test.serial('each type is sent what is queued for it, and a test', async t => {
  const { api, create, queue, deliveries, target } = await openWorld(t, 'services');
  const configs = channelConfigs(target.url);
  const channels = await Promise.all(Object.entries(configs).map(([type, config]) => create(type, config)));
  const reached = channels.filter(({ type }) => !withoutStub.includes(type));
  for (const [index, channel] of reached.slice(0, 11).entries()) {
    target.requests.length = 0;
    const tried = await api('POST', `/v0/channels/${channel.id}/test`);
    if (index === 10) {
      t.is(tried.status, 429, 'ten a minute');
      continue;
    }
    t.like(tried.body, { sent: true, error: null }, channel.type);
    t.true(/test/i.test(target.requests[0]?.body ?? ''), `${channel.type} says that it is a test`);
    const calls = ['pagerduty', 'opsgenie'].includes(channel.type) ? 2 : 1;
    t.is(target.requests.length, calls, `what a test opens at ${channel.type} is closed again`);
  }
  target.requests.length = 0;
  for (const channel of reached) await queue(channel.id, 'opened', 1, `agp_${channel.type}`);
  for (const channel of reached) {
    const [sent] = await until(
      () => deliveries(channel.id),
      rows => rows[0]?.state === 'sent',
    );
    t.like(sent, { channel: channel.type, attempts: 1 });
    t.like((await api('GET', `/v0/channels/${channel.id}`)).body, { state: 'ok', unconfirmed: [] });
  }
  t.deepEqual(pathsOf(target).sort(), [
    'POST /bot123456:secret-telegram-aaaaaaaaaaaaaa/sendMessage',
    'POST /chat/v1/spaces/a/messages',
    'POST /discord/secret-discord',
    'POST /gotify/message',
    'POST /hooks/secret-rocket/secret-chat',
    'POST /mattermost/secret-mattermost',
    'POST /notify/secret-apprise',
    'POST /ntfy',
    'POST /slack/secret-slack',
    'POST /teams/secret-teams',
    'POST /v2/alerts',
    'POST /v2/enqueue',
    'POST /webhook/secret-webhook',
    'POST /zulip/api/v1/messages',
    'PUT /http/secret-http',
    'PUT /matrix/_matrix/client/v3/rooms/!room%3Aexample.com/send/m.room.message/dlv',
  ]);
  const everything = Object.values(await readTables(databaseOf()))
    .flat()
    .join('\n');
  const answers = JSON.stringify([await api('GET', '/v0/channels'), await api('GET', '/v0/deliveries')]);
  const secrets = [...new Set(JSON.stringify(configs).match(/secret-[\w-]+|secretPushover\w+/g))];
  t.true(secrets.length >= 14 && everything.includes('agp_telegram') && lines.length > 10);
  for (const secret of secrets)
    for (const [place, text] of Object.entries({ everything, answers, lines: lines.join('\n') }))
      t.false(text.includes(secret), `${secret} in ${place}`);
});

test.serial('a refused message is not tried again, a failed one after what the service asks for', async t => {
  const { create, queue, deliveries, target, api } = await openWorld(t);
  const channel = await create('teams', { url: `${target.url}x` });
  const expectations: [behaviour: Target['behaviour'], state: string, error: string][] = [
    [answer(404), 'failed', 'HTTP status 404'],
    [answer(429, '', { 'retry-after': '3600' }), 'queued', 'HTTP status 429'],
    [answer(503), 'queued', 'HTTP status 503'],
  ];
  for (const [index, [behaviour, state, error]] of expectations.entries()) {
    target.behaviour = behaviour;
    await queue(channel.id, 'opened', 1, `agp_${index}`);
    const [row] = await until(
      () => deliveries(channel.id),
      rows => rows.length === index + 1 && rows[0]?.error != null,
    );
    t.like(row, { state, attempts: 1 });
    t.true(row?.error?.includes(error));
  }
  t.true((await api('GET', `/v0/channels/${channel.id}`)).body.last_error.includes('503'));
});

test.serial('a service that hangs is given up after ten seconds, a certificate that does not hold at once', async t => {
  const { api, create, target } = await openWorld(t);
  const channel = await create('discord', { url: `${target.url}x` });
  target.behaviour = silent();
  const [hung, untrusted] = await Promise.all([
    api('POST', `/v0/channels/${channel.id}/test`),
    api('POST', '/v0/channels/test', { type: 'apprise', config: { url: target.url.replace('http:', 'https:') } }),
  ]);
  t.like(hung.body, { sent: false, error: 'no response within ten seconds' });
  t.like(untrusted.body, { sent: false, error: 'the TLS handshake failed' });
});

test.serial('messages to one channel go in order, at most one a second', async t => {
  const { create, queue, deliveries, target } = await openWorld(t);
  const times: number[] = [];
  target.behaviour = (request, response) => {
    times.push(Date.now());
    answer(200)(request, response);
  };
  const channel = await create('http', { url: target.url, template: '{{group.id}}', content_type: 'text/plain' });
  const queuedAt = Date.now();
  for (const id of [1, 2, 3]) await queue(channel.id, 'opened', id, `agp_${id}`);
  await until(
    () => deliveries(channel.id),
    rows => rows.every(row => row.state === 'sent'),
  );
  t.deepEqual(target.requests.map(({ body }) => body).toSorted(), ['agp_1', 'agp_2', 'agp_3']);
  // Not from one to the next: a request may arrive late, and so close to the one after it.
  for (const [index, at] of times.entries()) t.true(at - queuedAt > index * 1000 - 100, `${times} after ${queuedAt}`);
});

test.serial(
  'an address gets alerts only after it has confirmed, unless the operator vouches for its domain',
  async t => {
    const { create, queue, deliveries, api, replica } = await openWorld(t);
    const address = `ada-${randomUUID()}@example.com`;
    const channel = await create('email', { to: [address, 'ops@own.example'] });
    t.is(channel.state, 'unverified');
    t.deepEqual(channel.unconfirmed, [address]);
    t.is((await api('POST', `/v0/channels/${channel.id}/test`)).body.error, 'address 1 is not confirmed yet');
    await queue(channel.id, 'opened');
    const states = () => deliveries(channel.id).then(rows => rows.map(row => row.state).sort());
    await until(states, ['held', 'sent']);
    const [asked] = await until(
      () => mailbox.to(address),
      emails => emails.length > 0,
    );
    const link = new URL(/Confirm: (\S+)/.exec(asked?.text ?? '')?.[1] ?? '');
    const page = apiOf(replica.url, '');
    const shown = await page('GET', link.pathname, undefined, { accept: 'text/html' });
    t.true(shown.status === 200 && shown.body.includes('<form method="post"'));
    t.is((await api('GET', `/v0/channels/${channel.id}`)).body.state, 'unverified', 'looking confirms nothing');
    t.is((await page('POST', link.pathname, undefined, { accept: 'text/html' })).status, 200);
    t.is((await api('GET', `/v0/channels/${channel.id}`)).body.state, 'ok');
    await queue(channel.id, 'opened', 1, 'agp_2');
    await until(
      () => mailbox.to(address),
      emails => emails.length === 2,
    );
    await until(() => mailbox.to('ops@own.example').length, 2);
    t.is((await page('GET', `${link.pathname}x`)).status, 404);
  },
);

test.serial(
  'a project asks only so many addresses at once to confirm, and a test is sent once for its key',
  async t => {
    const { api, create, target, replica } = await openWorld(t);
    const strangers = (call: number) =>
      Array.from({ length: 20 }, (_, index) => `${call}-${index}-${randomUUID()}@example.org`);
    for (let call = 0; call < 5; call++) await create('email', { to: strangers(call) });
    const refused = await api('POST', '/v0/channels', { type: 'email', name: 'x', config: { to: strangers(5) } });
    t.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
    const channel = await create('webhook', { url: target.url });
    const key = randomUUID();
    const test = () => api('POST', `/v0/channels/${channel.id}/test`, {}, { 'idempotency-key': key });
    const before = target.requests.length;
    t.deepEqual([(await test()).body.sent, (await test()).body.sent], [true, true]);
    t.is(target.requests.length, before + 1);
    t.is((await fetch(`${replica.url}/ack/abcdefgh-secret`)).status, 404);
    await until(
      () => lines.filter(line => line.includes('/ack/')).length,
      count => count > 0,
    );
    t.false(lines.some(line => line.includes('abcdefgh-secret')));
  },
);

test.serial(
  'what a receiver does not take of a template goes in its plain form, and the channel fails at once',
  async t => {
    const { create, queue, deliveries, target, api } = await openWorld(t);
    const config = { url: `${target.url}hook`, headers: { 'x-own': 'yes' }, template: '{"v":1,"t":"{{title}}"}' };
    const channel = await create('http', config);
    const shown = async () => (await api('GET', `/v0/channels/${channel.id}`)).body;
    target.behaviour = (request, response) =>
      answer(target.requests.at(-1)?.body.includes('"v":1') ? 400 : 200)(request, response);
    await queue(channel.id, 'opened');
    const [sent] = await until(
      () => deliveries(channel.id),
      rows => rows[0]?.state === 'sent',
    );
    const error = 'the receiver refused the filled template with HTTP status 400; it got the plain form instead';
    t.like(sent, { state: 'sent', attempts: 1, error });
    t.deepEqual(pathsOf(target), ['POST /hook', 'POST /hook']);
    const [first, second] = target.requests;
    t.is(second?.headers['x-own'], 'yes');
    t.is(second?.headers['webhook-id'], first?.headers['webhook-id']);
    const { title, text } = JSON.parse(second?.body ?? '') as { title: string; text: string };
    t.is(title, 'Checkout is down');
    t.regex(text, /^Checkout is down\n(.|\n)*\nView: http/);
    const failing = await until(shown, body => body.state === 'failing');
    t.is(failing.last_error, error);
    t.truthy(failing.last_sent_at);
    t.true(lines.some(line => line.includes(channel.id) && line.includes('a channel is failing')));
    t.like((await api('POST', `/v0/channels/${channel.id}/test`)).body, { sent: false });

    target.behaviour = answer(200);
    await queue(channel.id, 'opened', 1, 'agp_2');
    t.is((await until(shown, body => body.state === 'ok')).last_error, null);

    target.behaviour = answer(400);
    await queue(channel.id, 'opened', 1, 'agp_3');
    const [refused] = await until(
      () => deliveries(channel.id),
      rows => rows[0]?.state === 'failed',
    );
    t.regex(refused?.error ?? '', /status 400, and the plain form failed: .* status 400$/);
    t.is((await until(shown, body => body.state === 'failing')).last_error, refused?.error ?? '');
  },
);

test.serial('a chat of Telegram that has moved is followed, and what Telegram says is shown', async t => {
  const { create, queue, deliveries, target, api } = await openWorld(t, 'services');
  const channel = await create('telegram', { bot_token: '123456:secret-telegram-aaaaaaaaaaaaaa', chat_id: '-100' });
  const chats = () => target.requests.map(({ body }) => (JSON.parse(body) as { chat_id: string }).chat_id);
  const description = 'Bad Request: group chat was upgraded to a supergroup chat';
  const moved = JSON.stringify({ ok: false, description, parameters: { migrate_to_chat_id: -1001234567890 } });
  const posted = JSON.stringify({ ok: true, result: { message_id: 2 } });
  target.behaviour = (request, response) =>
    (chats().at(-1) === '-100' ? answer(400, moved) : answer(200, posted))(request, response);
  const path = `/v0/channels/${channel.id}`;
  const said = `the service responded with HTTP status 400: ${description}; the new chat ID is -1001234567890`;
  t.like((await api('POST', `${path}/test`)).body, { sent: false, error: said });
  await queue(channel.id, 'opened');
  const sent = async (count: number) =>
    until(
      () => deliveries(channel.id),
      rows => rows.length === count && rows.every(row => row.state === 'sent'),
    );
  const [row] = await sent(1);
  t.is(row?.error, 'the chat has moved: `chat_id` is -1001234567890 in the channel from now on');
  t.deepEqual(chats(), ['-100', '-100', '-1001234567890']);
  t.like((await api('GET', path)).body, { state: 'ok', last_error: null, config: { chat_id: '-1001234567890' } });
  await queue(channel.id, 'reminder', 2);
  t.is((await sent(2))[0]?.error, null);
  t.deepEqual(chats().slice(3), ['-1001234567890']);
  const last = JSON.parse(target.requests.at(-1)?.body ?? '') as { reply_parameters: { message_id: number } };
  t.is(last.reply_parameters.message_id, 2, 'the message there, not the one of the old chat');

  target.behaviour = answer(403, '{"ok":false,"description":"Forbidden: bot was kicked\\nfrom the group"}');
  await queue(channel.id, 'opened', 1, 'agp_2');
  const [refused] = await until(
    () => deliveries(channel.id),
    rows => rows[0]?.state === 'failed',
  );
  t.is(refused?.error, 'the service responded with HTTP status 403: Forbidden: bot was kicked from the group');
});
