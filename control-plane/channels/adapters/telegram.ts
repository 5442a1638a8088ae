import { escapeText } from '../../markup/escape.ts';
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
    const body = jsonOf(answer) as { result?: { message_id?: unknown }; parameters?: { retry_after?: unknown } } | null;
    const after = body?.parameters?.retry_after;
    const { outcome } = resultOf(answer, nowMs, typeof after === 'number' ? after * 1000 : null);
    const id = body?.result?.message_id;
    return { outcome, thread: outcome.type === 'sent' && typeof id === 'number' ? { message_id: String(id) } : null };
  },
};
