import { utcText } from '../../../publishing/incidents/utc-text.ts';
import { cut } from '../text.ts';

/** Slack's limits for the text of a message and of a section, in characters. */
export const slackTextMax = 40_000;
export const slackSectionMax = 3000;

/** `verbatim`: Slack makes no links of addresses and names in the text, which the monitored site may have written. */
export type SlackSection = { type: 'section'; text: { type: 'mrkdwn'; text: string; verbatim: true } };

export function slackSection(text: string): SlackSection {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

/** Slack shows the instant in each reader's time zone. */
export function slackDate(ms: number): string {
  return `<!date^${Math.floor(ms / 1000)}^{date_short_pretty} at {time}|${utcText(ms)}>`;
}

/** The text with Slack's three special characters escaped: it makes no links and mentions nobody. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The same cut to `max` characters, never inside an escape. */
export function cutSlack(text: string, max: number): string {
  return cut(text, max, 'characters', escapeSlack);
}
