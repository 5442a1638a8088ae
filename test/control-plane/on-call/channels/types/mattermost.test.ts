import test from 'ava';
import { acknowledgeUrl, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

test('Mattermost gets an attachment in the colour of what it says, with links and a text for notifications', t => {
  const { url, headers, json } = requestFor('mattermost', messageAt('opened'));
  t.is(url, 'https://stub.example/mattermost/secret-mattermost');
  t.deepEqual(headers, { 'content-type': 'application/json' });
  const [first = '', ...rest] = sampleLines.map(line => line.replace(/[().:!-]/g, '\\$&'));
  const links = `[View](${sampleUrl}) · [Acknowledge](${acknowledgeUrl})`;
  t.deepEqual(json, {
    attachments: [
      {
        fallback: 'Checkout is down',
        color: '#cf2a33',
        text: ['**Checkout is down**', first, ...rest, links].join('\n'),
      },
    ],
  });
});

test('Mattermost mentions nobody whom an alert names', t => {
  const named = messageAt('notice', { group: null, members: [], title: '@all and @channel', lines: ['@here'] });
  const { json } = requestFor('mattermost', named);
  t.notRegex(JSON.stringify(json), /@(all|channel|here)/);
});
