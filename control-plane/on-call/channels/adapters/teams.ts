import { type Adapter, byStatus, jsonPost } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import { cut, cutLines, escapeMarkdown } from '../text.ts';

const colors = {
  ok: 'Good',
  slow: 'Warning',
  part: 'Warning',
  down: 'Attention',
  work: 'Accent',
  none: 'Default',
  note: 'Accent',
};

/** A workflow takes 28 KB in all; the JSON of a text can be six times its length, but hardly ever is twice. */
const textBytesMax = 10_000;

/** An Adaptive Card for a workflow of Teams. */
export const teams: Adapter<ChannelConfig<'teams'>> = {
  request: (message, config) => {
    const write = escapeMarkdown;
    const block = (text: string, more: Record<string, unknown>) => ({ type: 'TextBlock', text, wrap: true, ...more });
    const open = (title: string, url: string) => ({ type: 'Action.OpenUrl', title, url });
    const { acknowledgeUrl } = message;
    const card = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [
        block(cut(message.title, 1000, 'bytes', write), {
          weight: 'Bolder',
          size: 'Medium',
          color: colors[message.tone],
        }),
        // Two line ends are a paragraph in its Markdown.
        block(cutLines(message.lines, textBytesMax, { unit: 'bytes', write, join: '\n\n' }), { spacing: 'Small' }),
      ],
      actions: [open('View', message.url), ...(acknowledgeUrl === null ? [] : [open('Acknowledge', acknowledgeUrl)])],
    };
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card };
    return jsonPost(config.url, { type: 'message', attachments: [attachment] });
  },
  result: byStatus,
};
