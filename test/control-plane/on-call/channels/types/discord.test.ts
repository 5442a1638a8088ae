import test from 'ava';
import { acknowledgeUrl, bodyAt, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;

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
