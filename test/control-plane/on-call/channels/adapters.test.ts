import test from 'ava';
import fc from 'fast-check';
import { messageOf } from '#control-plane/on-call/channels/message.ts';
import { type ChannelNotice, type NoticeStep, noticeSteps } from '#control-plane/on-call/channels/notice.ts';
import type { ChannelContext } from '#control-plane/on-call/channels/types/channel-type.ts';
import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';
import { channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import { type CalledType, channelConfigs } from '#test/support/channel-configs.ts';
import { calledTypeOf, stringsOf } from '#test/support/channel-message.ts';
import { readBody } from '#test/support/services/service.ts';
import { ofStubs } from '#test/support/services/stubs.ts';

const nowMs = Date.UTC(2026, 10, 22, 9, 30);
const links = { baseUrl: 'https://up.example', acknowledgeUrl: `https://up.example/ack/${'t'.repeat(300)}` };
const context: ChannelContext = {
  deliveryId: 'dlv_1',
  nowMs,
  addresses: { slack: 'https://slack.example', pagerduty: null, opsgenie: null, telegram: 'https://telegram.example' },
  thread: null,
  slackToken: 'xoxb-0123456789',
  slackButtons: false,
  signingSecret: 'whsec_c2VjcmV0',
};

function noticeOf(step: NoticeStep, title: string, summary: string, alerts = 1): ChannelNotice {
  const alert = { ...sampleAlert, title, reason: { ...sampleAlert.reason, summary } };
  const monitor = { id: 'mon_1', name: title, host: 'shop.example.com' };
  const opened_at = sampleAlert.started_at;
  return {
    step,
    at: nowMs,
    severity: 'p1',
    project: { id: 'proj_1', name: title },
    group: { id: 'agp_1', cause: null, opened_at, resolved_at: null, alerts, unresolved: alerts },
    members: Array.from({ length: Math.min(alerts, 20) }, () => ({ alert, monitor })),
    joined: 1,
    recovered: 0,
    actor: step === 'acknowledged' ? title : null,
    title,
    lines: [summary],
  };
}

function requestOf(type: CalledType, notice: ChannelNotice, changes: Partial<ChannelContext> = {}) {
  const config = channelTypes[type].schema.parse(channelConfigs('https://stub.example/')[type]);
  const request = calledTypeOf(type).request(messageOf(notice, 'full', links), config, { ...context, ...changes });
  if (request === null || 'onHold' in request) throw new Error('nothing is sent');
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many services
  const json: any = readBody(request.headers, request.body);
  return { ...request, json };
}

const types = Object.keys(channelConfigs('https://stub.example/')) as CalledType[];

// biome-ignore lint/suspicious/noExplicitAny: bodies of many services
const limits: Record<CalledType, (json: any, body: string) => boolean> = {
  slack: json =>
    json.text.length <= 4000 &&
    json.blocks.length <= 50 &&
    json.blocks.every((block: { text?: { text: string } }) => {
      const length = block.text?.text.length ?? 1;
      return length > 0 && length <= 3000;
    }),
  webhook: json => json.type.startsWith('alert.'),
  pagerduty: (json, body) =>
    Buffer.byteLength(body) <= 512 * 1024 &&
    json.dedup_key.length <= 255 &&
    (json.event_action !== 'trigger' ||
      (json.payload.summary.length > 0 &&
        json.payload.summary.length <= 1024 &&
        json.payload.source.length > 0 &&
        ['critical', 'error', 'warning', 'info'].includes(json.payload.severity))),
  opsgenie: json =>
    (json.message === undefined ||
      (json.message.length > 0 && json.message.length <= 130 && json.alias.length <= 512)) &&
    (json.description ?? '').length <= 15_000 &&
    (json.note ?? '').length <= 25_000,
  teams: (json, body) =>
    Buffer.byteLength(body) <= 28 * 1024 &&
    json.attachments[0].contentType === 'application/vnd.microsoft.card.adaptive',
  discord: json =>
    json.embeds.length <= 10 &&
    json.embeds[0].title.length <= 256 &&
    json.embeds[0].description.length <= 4096 &&
    json.embeds[0].title.length + json.embeds[0].description.length <= 6000 &&
    json.allowed_mentions.parse.length === 0,
  telegram: json => json.text.replace(/<[^>]*>/g, '').length <= 4096 && /^(?:[^<]|<\/?[ba][ >])*/.test(json.text),
  ntfy: json => Buffer.byteLength(json.message) <= 4096 && json.actions.length <= 3 && json.priority <= 5,
  google_chat: (json, body) => Buffer.byteLength(body) <= 32_000 && json.thread.threadKey.length <= 4000,
  apprise: json => json.body.length > 0 && ['info', 'success', 'warning', 'failure'].includes(json.type),
  http: json => typeof json.text === 'string',
  ...ofStubs(stub => (json: unknown) => stub.service.takes.safeParse(json).success),
};

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  fc.constantFrom(
    '&'.repeat(9000),
    '<!channel> @everyone <@123>',
    '"\\'.repeat(6000),
    '👩‍👩‍👧‍👦'.repeat(2000),
    '*_~`|['.repeat(2000),
  ),
);
const notices = fc.tuple(fc.constantFrom(...noticeSteps), texts, texts, fc.constantFrom(1, 40));

for (const type of types)
  test(`whatever an alert says, what ${type} gets is within its limits`, t => {
    fc.assert(
      fc.property(notices, ([step, title, summary, count]) => {
        // It has no event for this.
        if (type === 'incident_io' && step === 'acknowledged') return true;
        const { json, body } = requestOf(type, noticeOf(step, `a${title}`, summary, count));
        return limits[type](json, body) && body.isWellFormed();
      }),
      { numRuns: 60 },
    );
    t.pass();
  });

test('Slack shows instants in the reader’s zone, and an end without the state that is over', t => {
  const resolved_at = '2026-11-22T09:29:00.000Z';
  for (const state of ['down', 'degraded']) {
    const notice = noticeOf('resolved', `Shop is ${state}`, 'HTTP 500');
    const members = notice.members.map(member => ({ ...member, alert: { ...member.alert, resolved_at } }));
    const [title, text] = requestOf('slack', { ...notice, members }).json.blocks;
    t.is(title.text.text, '*Resolved: Shop*');
    const end = '<!date^1795339740^{date_short_pretty} at {time}|2026-11-22 09:29:00 UTC>';
    t.true(text.text.text.includes(` to ${end}`), text.text.text);
  }
  const odd = requestOf('slack', noticeOf('opened', 'Shop is down', 'until 2026-99-99 00:00:00 UTC')).json.blocks[1];
  t.true(odd.text.text.includes('until 2026-99-99 00:00:00 UTC'));
});

test('nobody is mentioned and no link is made by what an alert says', t => {
  const notice = noticeOf(
    'opened',
    '<!channel> @everyone [x](https://evil.example) <b>',
    'see <https://evil.example|x>',
  );
  const slack = requestOf('slack', notice).json.blocks.slice(0, 2);
  const written = slack.map((block: { text: { text: string } }) => block.text.text).join('');
  t.false(/[<>]/.test(written.replace(/<!date\^\d+\^\{date_short_pretty\} at \{time\}\|[\w: -]+>/g, '')));
  const [embed] = requestOf('discord', notice).json.embeds;
  t.false(embed.title.includes('@everyone') || embed.title.includes('[x]('));
  const telegram = requestOf('telegram', notice).json.text;
  t.false(telegram.includes('@everyone') || telegram.includes('<!channel>'));
  t.true(telegram.includes('&lt;!channel&gt;'));
  t.false(requestOf('teams', notice).json.attachments[0].content.body[0].text.includes('[x]('));
});

test('a name is shown as it is written by every service, whatever it formats', t => {
  const name = '_api_ `x` *y* ~z~ a_b <i> &amp; fe80::a:b';
  const notice = noticeOf('opened', name, `>${name}`);
  const shown: Record<CalledType, readonly string[]> = {
    ...ofStubs(stub => stub.shown),
    slack: [
      '*＿api＿ ˋxˋ ∗y∗ ∼z∼ a_b &lt;i&gt; &amp;amp; fe80::\u2060a:b*',
      '›＿api＿ ˋxˋ ∗y∗ ∼z∼ a_b &lt;i&gt; &amp;amp; fe80::\u2060a:b\n',
    ],
    teams: ['\\_api\\_ \\`x\\` \\*y\\* \\~z\\~ a\\_b \\<i\\> &amp; fe80\\:\\:a\\:b'],
    discord: ['\\_api\\_ \\`x\\` \\*y\\* \\~z\\~ a\\_b \\<i\\> &amp; fe80\\:\\:a\\:b'],
    telegram: ['<b>_api_ `x` *y* ~z~ a_b &lt;i&gt; &amp;amp; fe80::a:b</b>'],
    google_chat: ['&gt;_api_ `x` *y* ~z~ a_b &lt;i&gt; &amp;amp; fe80::a:b<br>'],
    pagerduty: [name, `>${name}`],
    opsgenie: [name, `>${name}`],
    ntfy: [name, `>${name}`],
    apprise: [name, `>${name}`],
    webhook: [name, `>${name}`],
    http: [name],
  };
  for (const type of types) {
    const written = stringsOf(requestOf(type, notice).json).join('\n\n');
    for (const text of shown[type]) t.true(written.includes(text), `${type}: ${written}`);
  }
});

const results: [type: CalledType, status: number, body: string, headers: Record<string, string>, outcome: object][] = [
  ['pagerduty', 202, '', {}, { type: 'sent' }],
  ['pagerduty', 429, '', { 'retry-after': '7' }, { type: 'failed', retryAfterMs: 7000 }],
  ['opsgenie', 500, '', {}, { type: 'failed', retryAfterMs: null }],
  ['teams', 404, '', {}, { type: 'refused' }],
  ['discord', 429, '{"retry_after":0.65}', {}, { type: 'failed', retryAfterMs: 650 }],
  ['discord', 204, '', {}, { type: 'sent' }],
  ['telegram', 429, '{"ok":false,"parameters":{"retry_after":3}}', {}, { type: 'failed', retryAfterMs: 3000 }],
  ['telegram', 403, '{"ok":false}', {}, { type: 'refused' }],
  ['slack', 200, 'ok', {}, { type: 'sent' }],
  ['slack', 404, 'no_service', {}, { type: 'refused' }],
  ['webhook', 410, '', {}, { type: 'refused' }],
  ['http', 302, '', {}, { type: 'failed' }],
  ['ntfy', 503, '', { 'retry-after': '1' }, { type: 'failed', retryAfterMs: 1000 }],
];
for (const [type, status, body, headers, expected] of results)
  test(`${status} ${body} of ${type} means ${JSON.stringify(expected)}`, t => {
    const { outcome } = calledTypeOf(type).result(
      { status, headers, body },
      context,
      channelConfigs('https://stub.example/')[type],
    );
    t.like(outcome, expected);
  });

test('later messages of a group reply to its first where the service can', t => {
  const reminder = noticeOf('reminder', 'Shop is down', 'x');
  const posted = calledTypeOf('telegram').result(
    { status: 200, headers: {}, body: '{"ok":true,"result":{"message_id":5}}' },
    context,
    {},
  );
  t.deepEqual(posted.thread, { message_id: '5' });
  t.is(requestOf('telegram', reminder, { thread: posted.thread }).json.reply_parameters.message_id, 5);
  t.is(requestOf('telegram', reminder).json.message_thread_id, 7);
  t.is(requestOf('google_chat', reminder).json.thread.threadKey, 'agp_1');
  const bot = channelTypes.slack.schema.parse({ channel: '#ops' });
  const message = messageOf(reminder, 'full', links);
  const thread = { channel_id: 'C1', ts: '1.2' };
  const request = calledTypeOf('slack').request(message, bot, { ...context, thread, slackButtons: true });
  const json = JSON.parse(request !== null && 'body' in request ? request.body : '');
  t.deepEqual([json.channel, json.thread_ts, json.reply_broadcast], ['C1', '1.2', true]);
  t.is(json.blocks.at(-1).elements[1].value, 't'.repeat(300), 'the button carries the token');
});

test('brief says what failed in general words only', t => {
  const notice = noticeOf('opened', 'Shop is down', 'expected hunter2, got swordfish');
  const { lines } = messageOf(notice, 'brief', links);
  t.is(lines[0], 'the server responded with HTTP status 503');
  const { notice: shown } = messageOf(notice, 'brief', links);
  t.false(/hunter2|swordfish|shop\.example/.test(JSON.stringify([lines, shown.members])));
  t.true(messageOf(notice, 'full', links).lines[0]?.includes('hunter2'));
});

test('a group is counted, and names at most twenty', t => {
  const { title, lines } = messageOf(noticeOf('opened', 'Shop is down', 'x', 43), 'full', links);
  t.is(title, '43 alerts');
  t.is(lines.filter(line => line.startsWith('•')).length, 20);
  t.is(lines.at(-1), 'and 23 more');
});

test('what a service answers is kept only if it can be a thread', t => {
  const posted = (ts: string) =>
    calledTypeOf('slack').result(
      { status: 200, headers: {}, body: JSON.stringify({ ok: true, channel: 'C012345', ts }) },
      context,
      channelTypes.slack.schema.parse({ channel: '#ops' }),
    );
  t.deepEqual(posted('1.2').thread, { channel_id: 'C012345', ts: '1.2' });
  t.deepEqual(posted('1\0'), { outcome: { type: 'sent' }, thread: null });
});
