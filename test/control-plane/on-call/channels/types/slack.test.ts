import test from 'ava';
import { acknowledgeUrl, bodyAt, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;
const text = sampleLines.join('\n');

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
