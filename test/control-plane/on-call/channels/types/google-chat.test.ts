import test from 'ava';
import { acknowledgeUrl, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;
const lines = sampleLines;

test('Google Chat gets a card in the thread of its group', t => {
  const chat = requestFor('google_chat', messageAt('opened'));
  t.is(new URL(chat.url).searchParams.get('messageReplyOption'), 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
  const button = (words: string, link: string) => ({ text: words, onClick: { openLink: { url: link } } });
  const buttons = [button('View', url), button('Acknowledge', acknowledgeUrl)];
  const widgets = [{ textParagraph: { text: lines.join('<br>') } }, { buttonList: { buttons } }];
  const card = { header: { title: 'Checkout is down', subtitle: 'Shop' }, sections: [{ widgets }] };
  t.deepEqual(chat.json, { cardsV2: [{ cardId: 'alert', card }], thread: { threadKey: 'agp_1' } });
});
