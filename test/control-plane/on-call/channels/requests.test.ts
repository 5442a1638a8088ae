import test from 'ava';

import type { ChannelNotice, NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';
import type { CalledType } from '#test/support/channel-configs.ts';
import { acknowledgeUrl, channelContext, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleNotice } from '#test/support/channel-notice.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

// What each service is sent, word for word: its documentation names these fields.

const [url, lines] = [sampleUrl, sampleLines];
const text = lines.join('\n');
const json = { 'content-type': 'application/json' };
const bodyAt = (type: CalledType, step: NoticeStep, changes: Partial<ChannelNotice> = {}) =>
  requestFor(type, messageAt(step, changes)).json as Record<string, unknown>;

test('PagerDuty gets an event that triggers with all there is to know, and ends by its key alone', t => {
  const keys = { routing_key: 'secret-pagerduty', dedup_key: 'agp_1' };
  const opened = requestFor('pagerduty', messageAt('opened'));
  t.deepEqual([opened.url, opened.headers], ['https://events.pagerduty.com/v2/enqueue', json]);
  t.deepEqual(opened.json, {
    ...keys,
    event_action: 'trigger',
    client: 'Upquorum',
    client_url: url,
    links: [{ href: url, text: 'View the alert' }],
    payload: {
      summary: 'Checkout is down',
      source: 'shop.example.com',
      severity: 'critical',
      timestamp: sampleAlert.started_at,
      custom_details: { text },
    },
  });
  t.deepEqual(bodyAt('pagerduty', 'acknowledged'), { ...keys, event_action: 'acknowledge' });
  t.deepEqual(bodyAt('pagerduty', 'resolved'), { ...keys, event_action: 'resolve' });
  const europe = requestFor('pagerduty', messageAt('opened'), { config: { region: 'eu' } });
  t.is(europe.url, 'https://events.eu.pagerduty.com/v2/enqueue');
  const addresses = { ...channelContext.addresses, pagerduty: 'https://own.example' };
  t.is(requestFor('pagerduty', messageAt('opened'), { addresses }).url, 'https://own.example/v2/enqueue');
});

const severities: readonly [step: NoticeStep, changes: Partial<ChannelNotice>, pagerduty: string, opsgenie: string][] =
  [
    ['opened', { severity: 'p1' }, 'critical', 'P1'],
    ['opened', { severity: 'p2' }, 'error', 'P2'],
    ['opened', { severity: 'p3' }, 'warning', 'P3'],
    ['reminder', { severity: 'p2' }, 'error', 'P2'],
    ['test', { severity: 'p3', group: null, members: [] }, 'info', 'P3'],
  ];
for (const [step, changes, pagerduty, priority] of severities)
  test(`${step} of ${changes.severity} is ${pagerduty} to PagerDuty and ${priority} to Opsgenie`, t => {
    t.like(bodyAt('pagerduty', step, changes), { payload: { severity: pagerduty } });
    t.is(bodyAt('opsgenie', step, changes).priority, priority);
  });

test('PagerDuty names the source by host, then monitor, then project', t => {
  const { members, project } = sampleNotice('agp_1');
  const named = (name: string, host: string) =>
    members.map(member => ({ ...member, monitor: { id: 'm', name, host } }));
  const sourceOf = (changes: Partial<ChannelNotice>) => bodyAt('pagerduty', 'opened', changes).payload;
  t.like(sourceOf({ members: named('Checkout', '') }), { source: 'Checkout' });
  t.like(sourceOf({ members: named('\u202e', '') }), { source: 'Upquorum' }, 'nothing of it can be shown');
  t.like(sourceOf({ members: [], group: null }), { source: project.name });
});

const sites = {
  us: 'https://api.opsgenie.com/v2/alerts',
  eu: 'https://api.eu.opsgenie.com/v2/alerts',
  jsm: 'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
};
test('Opsgenie gets an alert by its alias, and what follows as notes, acknowledgement and close', t => {
  for (const [site, base] of Object.entries(sites))
    t.is(requestFor('opsgenie', messageAt('opened'), { config: { site } }).url, base);
  const { headers, json: body } = requestFor('opsgenie', messageAt('opened'));
  t.deepEqual(headers, { ...json, authorization: 'GenieKey secret-opsgenie' });
  t.deepEqual(body, {
    message: 'Checkout is down',
    alias: 'agp_1',
    description: [...lines, '', url, `Acknowledge: ${acknowledgeUrl}`].join('\n'),
    priority: 'P1',
    source: 'Upquorum',
    tags: ['opened'],
  });
  const noted = { changed: 'notes', updated: 'notes', acknowledged: 'acknowledge', resolved: 'close' } as const;
  for (const [step, action] of Object.entries(noted)) {
    const message = messageAt(step as NoticeStep, { actor: null });
    const request = requestFor('opsgenie', { ...message, threadKey: 'agp/1 ü' });
    t.is(request.url, `${sites.jsm}/agp%2F1%20%C3%BC/${action}?identifierType=alias`);
    t.deepEqual(request.json, { source: 'Upquorum', note: [message.title, ...message.lines].join('\n') });
  }
});

test('Slack gets sections that make no links by themselves, and buttons; a bot the channel and its token', t => {
  const { blocks, ...content } = bodyAt('slack', 'opened') as { blocks: unknown[] };
  t.deepEqual(content, { text: 'Checkout is down', unfurl_links: false, unfurl_media: false });
  const section = (words: string) => ({ type: 'section', text: { type: 'mrkdwn', text: words, verbatim: true } });
  const button = (label: string, more: object) => ({
    type: 'button',
    text: { type: 'plain_text', text: label },
    ...more,
  });
  const dated = '<!date^1795339800^{date_short_pretty} at {time}|2026-11-22 09:30:00 UTC>';
  t.deepEqual(blocks, [
    section('*Checkout is down*'),
    section(text.replace('2026-11-22 09:30:00 UTC', dated)),
    {
      type: 'actions',
      elements: [
        button('View', { action_id: 'view', url }),
        button('Acknowledge', { style: 'primary', action_id: 'acknowledge_link', url: acknowledgeUrl }),
      ],
    },
  ]);
  const bot = { config: { webhook_url: null, channel: '#ops' } };
  const request = requestFor('slack', messageAt('resolved'), bot);
  t.is(request.url, 'https://slack.example/chat.postMessage');
  t.deepEqual(request.headers, {
    'content-type': 'application/json; charset=utf-8',
    authorization: 'Bearer xoxb-0123456789',
  });
  t.like(request.json, { channel: '#ops', text: 'Resolved: Checkout' });
  const thread = { channel_id: 'C1', ts: '1.2' };
  for (const [step, loud] of [
    ['reminder', true],
    ['escalated', true],
    ['changed', undefined],
  ] as const) {
    const reply = requestFor('slack', messageAt(step), { ...bot, thread }).json as Record<string, unknown>;
    t.deepEqual([reply.channel, reply.thread_ts, reply.reply_broadcast], ['C1', '1.2', loud], step);
  }
  t.throws(() => requestFor('slack', messageAt('opened'), { ...bot, slackToken: null }), {
    message: /nothing is sent/,
  });
});

test('Teams gets an Adaptive Card in the colour of what it says', t => {
  const card = (step: NoticeStep, changes: Partial<ChannelNotice> = {}) =>
    (bodyAt('teams', step, changes).attachments as [{ content: { body: { color?: string }[]; actions: unknown } }])[0]
      .content;
  t.deepEqual(card('opened').actions, [
    { type: 'Action.OpenUrl', title: 'View', url },
    { type: 'Action.OpenUrl', title: 'Acknowledge', url: acknowledgeUrl },
  ]);
  t.deepEqual(card('resolved').actions, [{ type: 'Action.OpenUrl', title: 'View', url }]);
  const colors = [card('opened'), card('opened', { severity: 'p2' }), card('resolved'), card('acknowledged')];
  t.deepEqual(
    colors.map(({ body }) => body[0]?.color),
    ['Attention', 'Warning', 'Good', 'Accent'],
  );
});

test('Discord gets an embed without mentions, in the thread of the configuration', t => {
  const { url: called } = requestFor('discord', messageAt('opened'));
  t.is(called, 'https://stub.example/discord/secret-discord?thread_id=123456789');
  const elsewhere = { config: { url: 'https://stub.example/x?wait=true', thread_id: null } };
  t.is(requestFor('discord', messageAt('opened'), elsewhere).url, 'https://stub.example/x?wait=true');
  const body = bodyAt('discord', 'opened');
  t.deepEqual(body.allowed_mentions, { parse: [] });
  const [embed] = body.embeds as [{ title: string; url: string; description: string }];
  t.like(embed, { title: 'Checkout is down', url });
  t.true(embed.description.endsWith(`\n\n[View](${url}) · [Acknowledge](${acknowledgeUrl})`));
});

test('Telegram gets HTML with links, in the chat and topic of the configuration', t => {
  const { url: called, json: body } = requestFor('telegram', messageAt('opened'));
  t.is(called, 'https://telegram.example/bot123456:secret-telegram-aaaaaaaaaaaaaa/sendMessage');
  const links = `<a href="${url}">View</a> · <a href="${acknowledgeUrl}">Acknowledge</a>`;
  t.deepEqual(body, {
    chat_id: '-100123',
    message_thread_id: 7,
    text: ['<b>Checkout is down</b>', ...lines, links].join('\n'),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
  });
  const plain = requestFor('telegram', messageAt('resolved'), {
    config: { topic_id: null },
    thread: { message_id: '5' },
  });
  t.like(plain.json, { reply_parameters: { message_id: 5, allow_sending_without_reply: true } });
  t.false('message_thread_id' in (plain.json as object));
  const odd = requestFor('telegram', messageAt('resolved'), { thread: { message_id: 'x' } }).json as object;
  t.false('reply_parameters' in odd);
});

const urgencies: readonly [
  step: NoticeStep,
  severity: 'p1' | 'p2' | 'p3',
  priority: number,
  tag: string,
  type: string,
][] = [
  ['opened', 'p1', 5, 'rotating_light', 'failure'],
  ['opened', 'p2', 4, 'warning', 'warning'],
  ['opened', 'p3', 3, 'warning', 'warning'],
  ['reminder', 'p1', 5, 'rotating_light', 'failure'],
  ['acknowledged', 'p1', 3, 'bell', 'info'],
  ['resolved', 'p1', 3, 'white_check_mark', 'success'],
  ['test', 'p3', 3, 'bell', 'info'],
];
for (const [step, severity, priority, tag, type] of urgencies)
  test(`${step} of ${severity} is ${tag} of priority ${priority} to ntfy, and ${type} to Apprise`, t => {
    t.like(bodyAt('ntfy', step, { severity }), { topic: 'secret-ntfy', priority, tags: [tag], click: url });
    t.like(bodyAt('apprise', step, { severity }), { type, format: 'text', tag: 'ops' });
  });

test('ntfy acknowledges with a POST of the link, and sends no token that there is not', t => {
  const { headers, json: body } = requestFor('ntfy', messageAt('opened'));
  t.deepEqual(headers, { ...json, authorization: 'Bearer secret-ntfy-token' });
  t.like(body, { title: 'Checkout is down', message: text });
  t.deepEqual((body as { actions: unknown }).actions, [
    { action: 'view', label: 'View', url },
    { action: 'http', label: 'Acknowledge', url: acknowledgeUrl, method: 'POST', clear: true },
  ]);
  t.deepEqual(requestFor('ntfy', messageAt('resolved'), { config: { token: null } }).headers, json);
});

test('Google Chat gets a card in the thread of its group, Apprise plain text with the links', t => {
  const chat = requestFor('google_chat', messageAt('opened'));
  t.is(new URL(chat.url).searchParams.get('messageReplyOption'), 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
  const button = (words: string, link: string) => ({ text: words, onClick: { openLink: { url: link } } });
  const buttons = [button('View', url), button('Acknowledge', acknowledgeUrl)];
  const widgets = [{ textParagraph: { text: lines.join('<br>') } }, { buttonList: { buttons } }];
  const card = { header: { title: 'Checkout is down', subtitle: 'Shop' }, sections: [{ widgets }] };
  t.deepEqual(chat.json, { cardsV2: [{ cardId: 'alert', card }], thread: { threadKey: 'agp_1' } });
  t.is(bodyAt('apprise', 'opened').body, `${text}\nView: ${url}\nAcknowledge: ${acknowledgeUrl}`);
  const { json: untagged } = requestFor('apprise', messageAt('resolved'), { config: { tag: null } });
  t.false('tag' in (untagged as object));
});

test('a webhook gets the alert as the API shows it, and the group with all its members', t => {
  const { group } = sampleNotice('agp_1');
  t.deepEqual(bodyAt('webhook', 'opened'), {
    type: 'alert.opened',
    timestamp: sampleAlert.started_at,
    data: { alert: sampleAlert, group: { ...group, alert_ids: [sampleAlert.id] }, title: 'Checkout is down', lines },
  });
  t.like(bodyAt('webhook', 'notice', { group: null, members: [], title: 'Region eu-west is silent' }), {
    type: 'alert.notice',
    data: { alert: null, group: null, title: 'Region eu-west is silent' },
  });
});
