import { escapeText } from '../../../platform/markup/escape.ts';
import { type Adapter, byStatus, jsonPost } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import { cut, cutLines, plainLine } from '../text.ts';

/** A card for a webhook of Google Chat: 32,000 bytes in all. Its text is HTML, in which nothing mentions anybody. */
export const googleChat: Adapter<ChannelConfig<'google_chat'>> = {
  request: (message, config) => {
    const url = new URL(config.url);
    url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
    const button = (text: string, link: string) => ({ text, onClick: { openLink: { url: link } } });
    const buttons = [button('View', message.url)];
    if (message.acknowledgeUrl !== null) buttons.push(button('Acknowledge', message.acknowledgeUrl));
    const text = cutLines(message.lines, 12_000, { unit: 'bytes', write: escapeText, join: '<br>' });
    const project = plainLine(message.notice.project.name);
    const card = {
      header: { title: cut(message.title, 600, 'bytes'), subtitle: cut(project, 300, 'bytes') },
      sections: [{ widgets: [...(text === '' ? [] : [{ textParagraph: { text } }]), { buttonList: { buttons } }] }],
    };
    return jsonPost(url.href, { cardsV2: [{ cardId: 'alert', card }], thread: { threadKey: message.threadKey } });
  },
  result: byStatus,
};
