import { z } from 'zod';
import { jsonOf, jsonPost, outcomeOf } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines } from '../../../../delivery/transports/text.ts';
import { escapeText } from '../../../../platform/markup/escape.ts';
import { calledType } from '../channel-type.ts';
import { field, maskable } from '../fields.ts';

/** A word joiner after `@` keeps a name from being a mention. */
const write = (text: string) => escapeText(text.replaceAll('@', '@\u2060'));

/** `sendMessage` of the Bot API: 4096 characters. Later messages of a group reply to its first. */
export const telegram = calledType({
  label: 'Telegram',
  about: 'A bot in a chat or channel',
  schema: z.object({
    bot_token: field(
      maskable(z.string().regex(/^\d{3,20}:[\w-]{20,100}$/, 'must be a bot token such as 123456:AbC…')),
      { label: 'Bot token', isSecret: true, placeholder: '123456:AbC…' },
    ),
    chat_id: field(z.string().regex(/^(-?\d{1,20}|@\w{5,32})$/, 'must be a chat’s ID or @channelname'), {
      label: 'Chat ID',
      placeholder: '-100123 or @channelname',
    }),
    topic_id: field(z.int().min(1).nullable().default(null), { label: 'Topic ID' }),
  }),
  request: (message, config, { addresses, thread }) => {
    const title = `<b>${cut(message.title, 600, 'characters', write)}</b>`;
    const text = cutLines(message.lines, 3300, { write });
    const buttons = [{ text: 'View', url: message.url }];
    if (message.acknowledgeUrl !== null) buttons.push({ text: 'Acknowledge', url: message.acknowledgeUrl });
    const linked = buttons.map(button => `<a href="${escapeText(button.url)}">${button.text}</a>`).join(' · ');
    const reply = Number(thread?.message_id);
    const request = jsonPost(`${addresses.telegram}/bot${config.bot_token}/sendMessage`, {
      chat_id: config.chat_id,
      ...(config.topic_id === null ? {} : { message_thread_id: config.topic_id }),
      text: [title, text, linked].filter(part => part !== '').join('\n'),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      ...(Number.isSafeInteger(reply)
        ? { reply_parameters: { message_id: reply, allow_sending_without_reply: true } }
        : {}),
    });
    return { ...request, bodyBytesMax: 65_536 };
  },
  result: (answer, { nowMs }) => {
    const body = jsonOf(answer) as Answer | null;
    const { retry_after: after, migrate_to_chat_id: movedTo } = body?.parameters ?? {};
    const moved = Number.isSafeInteger(movedTo) ? { chat_id: String(movedTo) } : undefined;
    const newChat = moved === undefined ? '' : `; the new chat ID is ${moved.chat_id}`;
    const reason = typeof body?.description === 'string' ? `${body.description}${newChat}` : null;
    const outcome = outcomeOf(answer, nowMs, { retryMs: typeof after === 'number' ? after * 1000 : null, reason });
    if (outcome.type !== 'sent') return { outcome, thread: null, ...(moved === undefined ? {} : { moved }) };
    const id = body?.result?.message_id;
    return { outcome, thread: typeof id === 'number' ? { message_id: String(id) } : null };
  },
});

type Answer = {
  result?: { message_id?: unknown };
  description?: unknown;
  parameters?: { retry_after?: unknown; migrate_to_chat_id?: unknown };
};
