import test from 'ava';
import { acknowledgeUrl, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

test('Rocket.Chat gets a text, and attachments whose titles are the links', t => {
  const { url, json } = requestFor('rocket_chat', messageAt('opened'));
  t.is(url, 'https://stub.example/hooks/secret-rocket/secret-chat');
  t.deepEqual(json, {
    text: 'Checkout is down',
    attachments: [
      { color: '#cf2a33', title: 'View', title_link: sampleUrl, text: sampleLines.join('\n') },
      { color: '#cf2a33', title: 'Acknowledge', title_link: acknowledgeUrl },
    ],
  });
  const { json: resolved } = requestFor('rocket_chat', messageAt('resolved'));
  t.like(resolved, { text: 'Resolved: Checkout', attachments: { length: 1 } });
});

test('Rocket.Chat neither mentions whom an alert names nor makes its links', t => {
  const title = '@all see [here](https://evil.example) <https://evil.example|x> in #general';
  const { json } = requestFor('rocket_chat', messageAt('notice', { group: null, members: [], title, lines: [] }));
  const { text } = json as { text: string };
  t.notRegex(text, /@all|\]\(|<https|#general/);
});
