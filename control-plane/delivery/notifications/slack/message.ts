import type { AlertView } from '../../../monitoring/alerts/alert.ts';
import type { SlackMessage } from '../../transports/slack/bot.ts';
import {
  cutSlack,
  type SlackSection,
  slackDate,
  slackSection,
  slackSectionMax,
  slackTextMax,
} from '../../transports/slack/text.ts';
import { unformatted } from '../../transports/text.ts';

export const slackSteps = ['opened', 'reopened', 'escalated', 'resolved'] as const;
export type SlackStep = (typeof slackSteps)[number];

/** Payload of a Slack delivery: the alert as it was at that step. */
export type SlackNotice = { step: SlackStep; alert: AlertView };

const titles: Readonly<Record<SlackStep, (title: string) => string>> = {
  opened: title => `🔴 ${title}`,
  reopened: title => `🔴 Again: ${title}`,
  escalated: title => `⏫ Not acknowledged yet: ${title}`,
  resolved: title => `🟢 Resolved: ${title.replace(/ is (down|degraded)$/, '')}`,
};

/** The message of one step, within Slack's limits. Nothing in the alert can mention people or become a link. */
export function slackMessage({ step, alert }: SlackNotice, baseUrl: string): SlackMessage<SlackSection> {
  const title = unformatted(titles[step](alert.title));
  const details = unformatted(`${alert.severity.toUpperCase()} · ${regionsText(step, alert)}`);
  const url = `${baseUrl}/#/alerts/${alert.id}`;
  return {
    text: cutSlack(title, slackTextMax),
    blocks: [
      slackSection(`*${cutSlack(title, slackSectionMax - 2)}*`),
      ...(step === 'resolved' || alert.reason.summary === ''
        ? []
        : [slackSection(cutSlack(unformatted(alert.reason.summary), slackSectionMax))]),
      slackSection(`${cutSlack(details, slackSectionMax - 300)}\n${timeText(alert)}`),
      slackSection(`<${cutSlack(url, 2000)}|View the alert>`),
    ],
    broadcast: step === 'escalated' || step === 'reopened',
  };
}

function regionsText(step: SlackStep, { kind, regions_failing, regions, quorum }: AlertView): string {
  if (kind === 'domain') return 'Said by the registry';
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
