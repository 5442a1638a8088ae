import type { Tone } from '../../../platform/design/tones.ts';
import type { OutboundRequest } from '../../../platform/http/outbound.ts';
import { jsonPost } from '../answer.ts';
import type { ChatPost } from '../post.ts';
import { cut, cutLines, escapeMarkdown } from '../text.ts';

const colors: Readonly<Record<Tone, string>> = {
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

/** An Adaptive Card for a workflow of Teams that posts when a webhook request is received. */
export function teamsRequest(url: string, { tone, title, lines, links }: ChatPost): OutboundRequest {
  const write = escapeMarkdown;
  const block = (text: string, more: Record<string, unknown>) => ({ type: 'TextBlock', text, wrap: true, ...more });
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(cut(title, 1000, 'bytes', write), { weight: 'Bolder', size: 'Medium', color: colors[tone] }),
      // Two line ends are a paragraph in its Markdown.
      block(cutLines(lines, textBytesMax, { unit: 'bytes', write, join: '\n\n' }), { spacing: 'Small' }),
    ],
    actions: links.map(link => ({ type: 'Action.OpenUrl', ...link })),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card };
  return jsonPost(url, { type: 'message', attachments: [attachment] });
}
