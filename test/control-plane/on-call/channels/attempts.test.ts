import test from 'ava';
import type { Email } from '#control-plane/delivery/transports/email/email.ts';
import type { Outcome } from '#control-plane/delivery/transports/outcome.ts';
import { type Tried, tryChannel } from '#control-plane/on-call/channels/try-channel.ts';
import { http as httpType } from '#control-plane/on-call/channels/types/http/http.ts';
import { plainForm } from '#control-plane/on-call/channels/types/http/plain-form.ts';
import { channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import { type Outbound, OutboundError, type OutboundRequest } from '#control-plane/platform/http/outbound.ts';
import { type CalledType, channelConfigs } from '#test/support/channel-configs.ts';
import {
  acknowledgeUrl,
  callChannel,
  channelContext,
  messageAt,
  messageNamed,
  sentAtMs,
} from '#test/support/channel-message.ts';

/** Answers each request with the next status, the last one for good; null is no answer. */
function stubOutbound(...statuses: readonly (number | null)[]) {
  const requests: OutboundRequest[] = [];
  const outbound: Outbound = {
    post: async request => {
      const status = statuses[Math.min(requests.push(request), statuses.length) - 1] ?? null;
      if (status === null) throw new OutboundError('timeout');
      return { status, headers: {}, body: '' };
    },
  };
  return { outbound, requests };
}

const http = httpType.schema.parse(channelConfigs('https://stub.example/').http);
const wording = 'the receiver refused the filled template with HTTP status';
const plainForms: readonly [first: number | null, second: number | null, requests: number, outcome: object][] = [
  [200, null, 1, { type: 'sent' }],
  [400, 200, 2, { type: 'sent', note: `${wording} 400; it got the plain form instead`, blame: true }],
  [413, 202, 2, { type: 'sent', note: `${wording} 413; it got the plain form instead` }],
  [415, 200, 2, { type: 'sent', blame: true }],
  [422, 200, 2, { type: 'sent', blame: true }],
  [401, 200, 1, { type: 'refused' }],
  [404, 200, 1, { type: 'refused' }],
  [429, 200, 1, { type: 'failed' }],
  [500, 200, 1, { type: 'failed' }],
  [null, 200, 1, { type: 'failed', error: 'no response within ten seconds' }],
  [
    400,
    400,
    2,
    { type: 'refused', error: `${wording} 400, and the plain form failed: the service responded with HTTP status 400` },
  ],
  [
    422,
    503,
    2,
    { type: 'failed', error: `${wording} 422, and the plain form failed: the service responded with HTTP status 503` },
  ],
  [
    422,
    null,
    2,
    { type: 'failed', error: `${wording} 422, and the plain form failed: no response within ten seconds` },
  ],
];
for (const [first, second, count, outcome] of plainForms)
  test(`a template that is answered with ${first}, then ${second}, takes ${count} requests`, async t => {
    const { outbound, requests } = stubOutbound(first, second);
    const sent = await callChannel(outbound, { type: 'http', config: http }, messageAt('opened'), channelContext);
    t.like(sent.outcome, outcome);
    t.is(requests.length, count);
    t.deepEqual(new Set(requests.map(({ url, method }) => `${method} ${url}`)), new Set([`PUT ${http.url}`]));
    for (const { headers } of requests)
      t.like(headers, { authorization: http.headers.authorization, 'webhook-id': channelContext.deliveryId });
  });

test('no other type of channel has a plain form: what its service refuses is refused', async t => {
  for (const [type, config] of Object.entries(channelConfigs('https://stub.example/'))) {
    if (type === 'http') continue;
    const called = { type: type as CalledType, config: channelTypes[type as CalledType].schema.parse(config) };
    const { outbound, requests } = stubOutbound(400, 200);
    const { outcome } = await callChannel(outbound, called, messageAt('opened'), channelContext);
    t.deepEqual([outcome.type, requests.length], ['refused', 1], type);
  }
});

const plainBodies: readonly [contentType: string, sentAs: string, read: (body: string) => [string?, string?]][] = [
  ['application/json', 'application/json', body => [JSON.parse(body).title, JSON.parse(body).text]],
  ['application/vnd.api+json', 'application/vnd.api+json', body => [JSON.parse(body).title, JSON.parse(body).text]],
  [
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded',
    body => [new URLSearchParams(body).get('title') ?? '', new URLSearchParams(body).get('text') ?? ''],
  ],
  ['text/xml', 'text/plain; charset=utf-8', body => [body.split('\n')[0], body]],
];
for (const [contentType, sentAs, read] of plainBodies)
  test(`the plain form of ${contentType} has a title and a text, whatever the names hold`, t => {
    const name = 'a"&<b>\\ü=%';
    const [type, body] = plainForm(messageNamed('opened', name), contentType);
    t.is(type, sentAs);
    const [title, text] = read(body);
    t.is(title, name);
    t.true(text?.startsWith(`${name}\n${name}\n`) && text.endsWith(`Acknowledge: ${acknowledgeUrl}`), text);
  });

test('a template that grows too large is not sent at all', t => {
  const config = { ...http, content_type: 'text/plain', template: '{{alert|json}}'.repeat(1000) };
  const onHold = { onHold: 'the filled template is larger than 256 KiB' };
  t.deepEqual(httpType.request(messageAt('opened'), config, channelContext), onHold);
});

const base = {
  project: { id: 'proj_1', name: 'Shop' },
  id: 'chn_1',
  detail: 'full',
  signingSecret: null,
  slackToken: null,
  unconfirmed: null,
} as const;
const triedOf = (type: keyof ReturnType<typeof channelConfigs>): Tried => ({
  ...base,
  type,
  config: channelTypes[type].schema.parse(channelConfigs('https://stub.example/')[type]),
});
const servicesOf = (
  outbound: Outbound,
  mailer: { send(email: Email): Promise<Outcome>; close(): void } | null = null,
) => ({
  outbound,
  mailer,
  baseUrl: 'https://up.example',
  addresses: channelContext.addresses,
});

for (const type of ['pagerduty', 'opsgenie'] as const)
  test(`what a test opens at ${type} is closed again, under a key of its own; a refused one opens none`, async t => {
    const { outbound, requests } = stubOutbound(202);
    t.like(await tryChannel(servicesOf(outbound), triedOf(type), sentAtMs), { sent: true, error: null });
    t.is(requests.length, 2);
    for (const { url, body } of requests) t.true(`${url} ${body}`.includes(`test-chn_1-${sentAtMs}`));
    const refused = stubOutbound(403);
    const answer = await tryChannel(servicesOf(refused.outbound), triedOf(type), sentAtMs);
    t.like(answer, { sent: false, error: 'the service responded with HTTP status 403' });
    t.is(refused.requests.length, 1);
    const half = stubOutbound(202, 500);
    t.false((await tryChannel(servicesOf(half.outbound), triedOf(type), sentAtMs)).sent, 'it is still open there');
  });

test('a test of another type is one request, which says that it is a test and asks nobody to acknowledge', async t => {
  for (const type of ['teams', 'discord', 'telegram', 'ntfy', 'google_chat', 'apprise', 'http', 'slack'] as const) {
    const { outbound, requests } = stubOutbound(200);
    t.true((await tryChannel(servicesOf(outbound), triedOf(type), sentAtMs)).sent, type);
    t.is(requests.length, 1, type);
    t.regex(requests[0]?.body ?? '', /Test(\\\\)*: this channel works/, type);
    t.false(requests[0]?.body.includes('cknowledge'), type);
  }
});

const emails: readonly [outcomes: Outcome[] | null, unconfirmed: number | null, error: string | null][] = [
  [null, null, 'email is not configured: SMTP_URL is not set'],
  [[], 1, 'address 2 is not confirmed yet'],
  [[{ type: 'sent' }, { type: 'sent' }], null, null],
  [[{ type: 'sent' }, { type: 'refused', error: 'no such user', gone: true, ours: false }], null, 'no such user'],
];
for (const [outcomes, unconfirmed, error] of emails)
  test(`a test of email with ${JSON.stringify(outcomes)} says ${error}`, async t => {
    const sent: Email[] = [];
    const send = async (email: Email) => outcomes?.[sent.push(email) - 1] ?? { type: 'sent' as const };
    const mailer = outcomes === null ? null : { send, close: () => undefined };
    const config = { to: ['ada@example.com', 'ops@example.com'] };
    const tried: Tried = { ...base, type: 'email', config, unconfirmed };
    const answer = await tryChannel(servicesOf(stubOutbound(200).outbound, mailer), tried, sentAtMs);
    t.like(answer, { sent: error === null, error });
    t.deepEqual(
      sent.map(({ to }) => to),
      outcomes?.map((_, index) => config.to[index]) ?? [],
    );
    t.is(new Set(sent.map(({ messageId }) => messageId)).size, sent.length);
  });
