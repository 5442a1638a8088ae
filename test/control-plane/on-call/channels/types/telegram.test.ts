import test from 'ava';
import { acknowledgeUrl, messageAt, requestFor } from '#test/support/channel-message.ts';
import { sampleLines, sampleUrl } from '#test/support/sample-texts.ts';

const url = sampleUrl;
const lines = sampleLines;

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
