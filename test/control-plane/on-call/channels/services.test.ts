import test from 'ava';
import type { Outcome } from '#control-plane/delivery/transports/outcome.ts';
import { type NoticeStep, noticeSteps } from '#control-plane/on-call/channels/notice.ts';
import { channelTypes } from '#control-plane/on-call/channels/types/registry.ts';

import { createOutbound, type Outbound } from '#control-plane/platform/http/outbound.ts';
import { type CalledType, channelConfigs } from '#test/support/channel-configs.ts';
import {
  callChannel,
  channelContext,
  messageAt,
  messageNamed,
  requestFor,
  signingSecret,
  stringsOf,
} from '#test/support/channel-message.ts';
import { expectedSignature, refusalOf, services } from '#test/support/channel-services.ts';
import { namesResolver } from '#test/support/probe.ts';
import { answer, type Behaviour, endless, redirect, reset, startTarget } from '#test/support/target.ts';

const policy = { base: 'loopback', allow: [] } as const;
const outbound = createOutbound({ resolver: namesResolver({}), policy, userAgent: 'Upquorum/test' });
const types = Object.keys(services) as CalledType[];

/** A type of channel whose service is a stub on loopback. */
async function openService(type: CalledType) {
  const target = await startTarget();
  const base = target.url.replace(/\/$/, '');
  const config = channelTypes[type].schema.parse(channelConfigs(target.url)[type]);
  const addresses = { slack: base, pagerduty: base, opsgenie: base, telegram: base };
  const context = { ...channelContext, addresses };
  /** What the service says of the last request: it takes it, or it says what is wrong. */
  const strict: Behaviour = (request, response) => {
    const received = target.requests.at(-1);
    const refusal = received === undefined ? 'no request' : refusalOf(type, received);
    const [status, body] = refusal === null ? services[type].answer : ([400, refusal] as const);
    answer(status, body, { 'content-type': 'application/json' })(request, response);
  };
  target.behaviour = strict;
  // Some services have one address for everybody.
  const redirected: Outbound = {
    post: request => outbound.post({ ...request, url: request.url.replace(new URL(request.url).origin, base) }),
  };
  const send = async (message = messageAt('opened')) => callChannel(redirected, { type, config }, message, context);
  const refusal = () => target.requests.map(received => refusalOf(type, received)).find(why => why !== null);
  return { target, send, refusal, [Symbol.asyncDispose]: () => target[Symbol.asyncDispose]() };
}

const hostile = [
  ...['<b>&amp;</b> <script>', '"}],"x":[{"\\', '[x](https://evil.example) `*_~|', '@everyone <!channel> <@U1>'],
  ...['a\u0000b\u001b[31m\r\nc', '\u202egnp.exe \u2066x', 'раyраl.example', '&'.repeat(9000)],
  '👩‍👩‍👧‍👦'.repeat(900),
  ...['{{title}} %s', '\ud800 lone', ' '],
];

for (const type of types)
  test(`the service of ${type} takes every step of an alert as it documents its requests`, async t => {
    await using service = await openService(type);
    for (const step of noticeSteps) {
      const { outcome } = await service.send(messageAt(step, { title: 'Region eu-west is silent', actor: 'ada' }));
      t.deepEqual(outcome, { type: 'sent' }, `${step}: ${service.refusal()}`);
    }
    for (const { headers } of service.target.requests) t.is(headers['user-agent'], 'Upquorum/test');
  });

for (const type of types)
  test(`no name makes a request that the service of ${type} refuses, or reaches it with control characters`, t => {
    for (const name of hostile)
      for (const step of ['opened', 'acknowledged', 'resolved'] as const satisfies NoticeStep[]) {
        // It has no event for this.
        if (type === 'incident_io' && step === 'acknowledged') continue;
        const context = { addresses: { ...channelContext.addresses, pagerduty: 'https://p', opsgenie: 'https://o' } };
        const { url, method = 'POST', headers, body, json } = requestFor(type, messageNamed(step, `x${name}`), context);
        const path = url.slice(new URL(url).origin.length);
        t.is(refusalOf(type, { method, url: path, headers, body }), null, `${step} ${name.slice(0, 20)}`);
        // A machine gets the alert as it is.
        const written = type === 'webhook' || type === 'http' ? '' : stringsOf(json).join('').replaceAll('\n', '');
        t.false(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(written), `${step} ${name.slice(0, 20)}`);
      }
  });

const failed = (error: string, retryAfterMs: number | null = null, ours = false): Outcome => ({
  type: 'failed',
  error,
  retryAfterMs,
  ours,
});
const refused = (error: string, ours = false): Outcome => ({ type: 'refused', error, gone: false, ours });
const status = (code: number) => `the service responded with HTTP status ${code}`;
const page = '<html><body>Blocked by your company</body></html>';
const behaviours: readonly [name: string, behaviour: Behaviour, outcome: Outcome][] = [
  ['takes too many', answer(429, '', { 'retry-after': '7' }), failed(status(429), 7000)],
  ['names a date', answer(503, '', { 'retry-after': 'Sun, 22 Nov 2026 09:31:00 GMT' }), failed(status(503), 60_000)],
  ['names a past date', answer(503, page, { 'retry-after': 'Sun, 22 Nov 2026 09:29:00 GMT' }), failed(status(503), 0)],
  ['names no time', answer(502, page, { 'retry-after': 'soon' }), failed(status(502))],
  ['knows no such secret', answer(401, page), refused(status(401))],
  ['refuses the sender', answer(403, page), refused(status(403))],
  ['is not there', answer(404, page), refused(status(404))],
  ['is gone', answer(410, page), refused(status(410))],
  ['does not understand', answer(400, '{"odd":'), refused(status(400))],
  ['sends elsewhere', redirect(307, '/elsewhere'), failed(status(307))],
  ['hangs up', reset(), failed('the connection failed')],
];

for (const type of types)
  test(`a service of ${type} that does not take a message says whether to try again`, async t => {
    await using service = await openService(type);
    for (const [name, behaviour, outcome] of behaviours) {
      service.target.requests.length = 0;
      service.target.behaviour = behaviour;
      // Only a test of a template is not sent again in its plain form.
      const message = messageAt(type === 'http' ? 'test' : 'opened');
      t.deepEqual((await service.send(message)).outcome, outcome, name);
      t.is(service.target.requests.length, 1, `${name}: neither repeated nor sent to where it points`);
    }
  });

for (const type of types)
  test(`an answer of ${type} without end, or without JSON, is read no further than it is needed`, async t => {
    await using service = await openService(type);
    service.target.behaviour = endless();
    const { outcome, thread } = await service.send();
    t.deepEqual([outcome, thread], [{ type: 'sent' }, null]);
    service.target.behaviour = answer(200, page);
    t.deepEqual(await service.send(), { outcome: { type: 'sent' }, thread: null });
  });

test('a receiver can prove who sent a webhook, and that it is no repetition', async t => {
  await using service = await openService('webhook');
  await service.send();
  const [{ headers = {}, body = '' } = {}] = service.target.requests;
  t.is(headers['webhook-signature'], expectedSignature(signingSecret, headers, body));
  t.is(headers['webhook-id'], channelContext.deliveryId);
  t.is(Number(headers['webhook-timestamp']) * 1000, channelContext.nowMs);
  t.not(headers['webhook-signature'], expectedSignature(signingSecret, headers, `${body} `));
});

test('a bot of Slack is believed by what Slack says in JSON, and by nothing else', async t => {
  await using service = await openService('slack');
  const addresses = { ...channelContext.addresses, slack: service.target.url.replace(/\/$/, '') };
  const called = { type: 'slack' as const, config: { channel: '#ops', webhook_url: null } };
  const send = () => callChannel(outbound, called, messageAt('opened'), { ...channelContext, addresses });
  const ours = (error: string, retryAfterMs: number | null = null) => failed(error, retryAfterMs, true);
  const cases: [behaviour: Behaviour, outcome: Outcome][] = [
    [answer(200, '{"ok":true,"channel":"C012345","ts":"1.2"}'), { type: 'sent' }],
    [answer(200, '{"ok":false,"error":"channel_not_found"}'), refused('Slack: channel_not_found', true)],
    [answer(200, '{"ok":false,"error":"internal_error"}'), ours('Slack: internal_error')],
    [answer(429, '', { 'retry-after': '3' }), ours('Slack: ratelimited', 3000)],
    [answer(200, page), ours('Slack responded with HTTP status 200')],
    [answer(200, ''), ours('Slack responded with HTTP status 200')],
    [answer(200, '{"ok":"yes"}'), ours('Slack responded with HTTP status 200')],
    [answer(503, page), ours('Slack responded with HTTP status 503')],
  ];
  for (const [behaviour, outcome] of cases) {
    service.target.behaviour = behaviour;
    t.deepEqual((await send()).outcome, outcome);
  }
  const [{ method, url, headers = {} } = {}] = service.target.requests;
  t.deepEqual([method, url], ['POST', '/chat.postMessage']);
  t.is(headers.authorization, `Bearer ${channelContext.slackToken}`);
});

test('what a channel may not call is refused for good, without a request', async t => {
  await using service = await openService('teams');
  const closed = createOutbound({
    resolver: namesResolver({}),
    policy: { base: 'public', allow: [] },
    userAgent: 'x',
  });
  const config = { url: `${service.target.url}teams/secret-teams` };
  const { outcome } = await callChannel(closed, { type: 'teams', config }, messageAt('opened'), channelContext);
  t.deepEqual(outcome, refused('the address is not allowed'));
  t.is(service.target.requests.length, 0);
});
