import { z } from 'zod';
import { jsonPost } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines, plainLine } from '../../../../delivery/transports/text.ts';
import { escapeText } from '../../../../platform/markup/escape.ts';
import { byStatus, calledType } from '../channel-type.ts';
import { secretUrl } from '../fields.ts';

/** A card for a webhook of Google Chat: 32,000 bytes in all. Its text is HTML, in which nothing mentions anybody. */
export const googleChat = calledType({
  label: 'Google Chat',
  about: 'A webhook of a space',
  schema: z.object({
    url: secretUrl({ label: 'Webhook URL', placeholder: 'https://chat.googleapis.com/v1/spaces/…' }),
  }),
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
});
