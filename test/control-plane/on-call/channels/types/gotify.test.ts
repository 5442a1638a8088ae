import test from 'ava';
import type { NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import { acknowledgeUrl, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

test('Gotify gets plain text below the path of the server, and opens the page that acknowledges', t => {
  const { url, headers, json } = requestFor('gotify', messageAt('opened'));
  t.is(url, 'https://stub.example/gotify/message');
  t.deepEqual(headers, { 'content-type': 'application/json', 'x-gotify-key': 'secret-gotify' });
  t.deepEqual(json, {
    title: 'Checkout is down',
    message: [...sampleLines, `View: ${sampleUrl}`, `Acknowledge: ${acknowledgeUrl}`].join('\n'),
    priority: 8,
    extras: {
      'client::display': { contentType: 'text/plain' },
      'client::notification': { click: { url: acknowledgeUrl } },
    },
  });
});

const priorities: readonly [step: NoticeStep, severity: 'p1' | 'p2' | 'p3', priority: number][] = [
  ['opened', 'p2', 5],
  ['reminder', 'p3', 3],
  ['resolved', 'p1', 3],
];
for (const [step, severity, priority] of priorities)
  test(`${step} of ${severity} has priority ${priority} with Gotify`, t => {
    t.like(requestFor('gotify', messageAt(step, { severity })).json, { priority });
  });
