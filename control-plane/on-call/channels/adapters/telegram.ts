import { escapeText } from '../../../platform/markup/escape.ts';
import { type Adapter, jsonOf, jsonPost, resultOf } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import { cut, cutLines } from '../text.ts';

/** A word joiner after `@` keeps a name from being a mention. */
const write = (text: string) => escapeText(text.replaceAll('@', '@\u2060'));

/** `sendMessage` of the Bot API: 4096 characters. Later messages of a group reply to its first. */
export const telegram: Adapter<ChannelConfig<'telegram'>> = {
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
    const told = moved === undefined ? '' : `; the new chat ID is ${moved.chat_id}`;
    const reason = typeof body?.description === 'string' ? `${body.description}${told}` : null;
    const { outcome } = resultOf(answer, nowMs, { retryMs: typeof after === 'number' ? after * 1000 : null, reason });
    if (outcome.type !== 'sent') return { outcome, thread: null, ...(moved === undefined ? {} : { moved }) };
    const id = body?.result?.message_id;
    return { outcome, thread: typeof id === 'number' ? { message_id: String(id) } : null };
  },
};

type Answer = {
  result?: { message_id?: unknown };
  description?: unknown;
  parameters?: { retry_after?: unknown; migrate_to_chat_id?: unknown };
};
