import { cutLines, unformatted } from '../text.ts';
import type { SlackContent } from './bot.ts';
import { cutSlack, escapeSlack, slackDate, slackSection, slackSectionMax } from './text.ts';

/** In notifications, which show 150 characters of it or so. */
const fallbackMax = 1000;

/** A button that opens a page, or sends its value to us. */
export type SlackButton = { label: string; more: object };

/** A title, lines and buttons as Slack shows them. Nothing in the texts can mention people or become a link. */
export function slackContent(title: string, lines: readonly string[], buttons: readonly SlackButton[]): SlackContent {
  const text = cutLines(lines.map(unformatted), slackSectionMax, { write: writeLine });
  return {
    text: cutSlack(unformatted(title), fallbackMax),
    blocks: [
      slackSection(`*${cutSlack(unformatted(title), slackSectionMax - 2)}*`),
      ...(text === '' ? [] : [slackSection(text)]),
      {
        type: 'actions',
        elements: buttons.map(({ label, more }) => ({
          type: 'button',
          text: { type: 'plain_text', text: label },
          ...more,
        })),
      },
    ],
  };
}

/** A line with the instants that `utcText` writes in each reader's time zone. */
function writeLine(text: string): string {
  return escapeSlack(text).replace(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC/g, utc => {
    const ms = Date.parse(utc);
    return Number.isNaN(ms) ? utc : slackDate(ms);
  });
}
