import type { AlertView } from '../../../monitoring/alerts/alert.ts';
import { utcText } from '../../../publishing/incidents/utc-text.ts';

export const slackSteps = ['opened', 'reopened', 'escalated', 'resolved'] as const;
export type SlackStep = (typeof slackSteps)[number];

/** Payload of a Slack delivery: the alert as it was at that step. */
export type SlackNotice = { step: SlackStep; alert: AlertView };

/** `verbatim`: Slack makes no links of addresses and names in the text, which the monitored site may have written. */
type Block = { type: 'section'; text: { type: 'mrkdwn'; text: string; verbatim: true } };
/** `broadcast`: shown in the channel as well as in the thread. */
export type SlackMessage = { text: string; blocks: Block[]; broadcast: boolean };

/** Slack's limits for the text of a message and of a section, in characters. */
export const slackTextMax = 40_000;
export const slackSectionMax = 3000;

const titles: Readonly<Record<SlackStep, (title: string) => string>> = {
  opened: title => `🔴 ${title}`,
  reopened: title => `🔴 Again: ${title}`,
  escalated: title => `⏫ Not acknowledged yet: ${title}`,
  resolved: title => `🟢 Resolved: ${title.replace(/ is (down|degraded)$/, '')}`,
};

/** The message of one step, within Slack's limits. Nothing in the alert can mention people or become a link. */
export function slackMessage({ step, alert }: SlackNotice, baseUrl: string): SlackMessage {
  const title = unformatted(titles[step](alert.title));
  const details = unformatted(`${alert.severity.toUpperCase()} · ${regionsText(step, alert)}`);
  const url = `${baseUrl}/#/alerts/${alert.id}`;
  return {
    // For notifications: Slack shows the blocks instead.
    text: escapeSlack(title, slackTextMax),
    blocks: [
      section(`*${escapeSlack(title, slackSectionMax - 2)}*`),
      ...(step === 'resolved' || alert.reason.summary === ''
        ? []
        : [section(escapeSlack(unformatted(alert.reason.summary), slackSectionMax))]),
      section(`${escapeSlack(details, slackSectionMax - 300)}\n${timeText(alert)}`),
      section(`<${escapeSlack(url, 2000)}|View the alert>`),
    ],
    broadcast: step === 'escalated' || step === 'reopened',
  };
}

function regionsText(step: SlackStep, { kind, regions_failing, regions, quorum }: AlertView): string {
  if (kind === 'certificate') return `Seen in ${regions_failing.join(', ')}`;
  const verb = step === 'resolved' ? 'failed' : 'failing';
  const noun = regions.length === 1 ? 'region' : 'regions';
  const names = regions_failing.join(', ');
  return `${regions_failing.length} of ${regions.length} ${noun} ${verb} (quorum ${quorum}): ${names}`;
}

function timeText({ started_at, resolved_at }: AlertView): string {
  const start = slackDate(Date.parse(started_at));
  return resolved_at === null ? `Since ${start}` : `From ${start} to ${slackDate(Date.parse(resolved_at))}`;
}

/** Slack shows the instant in each reader's time zone. */
export function slackDate(ms: number): string {
  return `<!date^${Math.floor(ms / 1000)}^{date_short_pretty} at {time}|${utcText(ms)}>`;
}

/** Times such as 09:30:00 have none of them. */
const emojiName = /[^\d]|^100$|^1234$/;

/**
 * The text as Slack shows it unformatted. Slack has no escape for what begins and ends formatting, so look-alikes stand
 * for it where it could; underscores and tildes within a word mean nothing. A joiner breaks the names of emoji: `:a:`
 * in an IPv6 address is one.
 */
export function unformatted(text: string): string {
  return text
    .replaceAll('*', '∗')
    .replaceAll('`', 'ˋ')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '＿')
    .replace(/(?<![\p{L}\p{N}])~|~(?![\p{L}\p{N}])/gu, '∼')
    .replace(/:(?=([\w+'-]{1,100}):)/g, (colon, name: string) => (emojiName.test(name) ? `${colon}\u2060` : colon))
    .replace(/^>/, '›');
}

/** Escapes Slack's three special characters and truncates to `max` characters, never inside an escape. */
export function escapeSlack(text: string, max: number): string {
  const escaped = text.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  if (escaped.length <= max) return escaped;
  const cut = escaped.slice(0, max - 1).replace(/&[a-z]{0,3}$/, '');
  return `${cut.toWellFormed().replace(/\ufffd$/, '')}…`;
}

function section(text: string): Block {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}
