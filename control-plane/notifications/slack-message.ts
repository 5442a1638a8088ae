import type { AlertView } from '../alerts/alert.ts';

export const slackSteps = ['opened', 'escalated', 'resolved'] as const;
export type SlackStep = (typeof slackSteps)[number];

/** What a Slack delivery keeps: the alert as it was at that step. */
export type SlackNews = { step: SlackStep; alert: AlertView };

type Block = { type: 'section'; text: { type: 'mrkdwn'; text: string } };
export type SlackMessage = { text: string; blocks: Block[] };

/** Slack's limits of a message's text and of a section. */
export const slackTextMax = 40_000;
export const slackSectionMax = 3000;

const titles: Readonly<Record<SlackStep, (title: string) => string>> = {
  opened: title => `🔴 ${title}`,
  escalated: title => `⏫ Nobody has acknowledged: ${title}`,
  resolved: title => `🟢 Resolved: ${title}`,
};

/** The message of one step, within Slack's limits; nothing in it can mention people or become a link of its own. */
export function slackMessage({ step, alert }: SlackNews, baseUrl: string): SlackMessage {
  const title = titles[step](alert.title);
  const { reason } = alert;
  const outcome = [
    reason.summary,
    ...(reason.expected === null ? [] : [`expected ${reason.expected}, got ${reason.actual ?? 'nothing'}`]),
  ].join('\n');
  const regions = `${alert.regions_failing.length} of ${alert.regions.length} regions failing (quorum ${alert.quorum}): ${alert.regions_failing.join(', ')}`;
  const times = step === 'resolved' ? `from ${alert.started_at} to ${alert.resolved_at}` : `since ${alert.started_at}`;
  const url = `${baseUrl}/#/alerts/${alert.id}`;
  return {
    text: escapeSlack(`${title}\n${outcome}`, slackTextMax),
    blocks: [
      section(`*${escapeSlack(title, slackSectionMax - 2)}*`),
      ...(step === 'resolved' ? [] : [section(escapeSlack(outcome, slackSectionMax))]),
      section(escapeSlack(`${alert.severity} · ${regions}\n${times}`, slackSectionMax)),
      section(`<${escapeSlack(url, 2000)}|Open the alert>`),
    ],
  };
}

/** Slack's three references, then cut, never within one of them. */
export function escapeSlack(text: string, max: number): string {
  const escaped = text.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  if (escaped.length <= max) return escaped;
  const cut = escaped.slice(0, max - 1).replace(/&[a-z]{0,3}$/, '');
  return `${cut.toWellFormed().replace(/\ufffd$/, '')}…`;
}

function section(text: string): Block {
  return { type: 'section', text: { type: 'mrkdwn', text } };
}
