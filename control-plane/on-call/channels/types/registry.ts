import { apprise } from './apprise/apprise.ts';
import type { ChannelDefinition } from './channel-type.ts';
import { discord } from './discord/discord.ts';
import { email } from './email/email.ts';
import { googleChat } from './google-chat/google-chat.ts';
import { gotify } from './gotify/gotify.ts';
import { http } from './http/http.ts';
import { incidentIo } from './incident-io/incident-io.ts';
import { jiraServiceManagement } from './jira-service-management/jira-service-management.ts';
import { matrix } from './matrix/matrix.ts';
import { mattermost } from './mattermost/mattermost.ts';
import { ntfy } from './ntfy/ntfy.ts';
import { opsgenie } from './opsgenie/opsgenie.ts';
import { pagerduty } from './pagerduty/pagerduty.ts';
import { pushover } from './pushover/pushover.ts';
import { rocketChat } from './rocket-chat/rocket-chat.ts';
import { slack } from './slack/slack.ts';
import { teams } from './teams/teams.ts';
import { telegram } from './telegram/telegram.ts';
import { webhook } from './webhook/webhook.ts';
import { zulip } from './zulip/zulip.ts';

/** The services and protocols that channels of alerts can use: the only list of them. */
const definitions = {
  email,
  slack,
  webhook,
  pagerduty,
  opsgenie,
  teams,
  discord,
  telegram,
  ntfy,
  google_chat: googleChat,
  apprise,
  http,
  jira_service_management: jiraServiceManagement,
  incident_io: incidentIo,
  mattermost,
  rocket_chat: rocketChat,
  zulip,
  matrix,
  pushover,
  gotify,
} as const satisfies Readonly<Record<string, ChannelDefinition>>;

export type ChannelType = keyof typeof definitions;

/** The definition of each type. A configuration is what the schema of its own type accepts. */
export const channelTypes: Readonly<Record<ChannelType, ChannelDefinition>> = definitions;

export const channelTypeNames = Object.keys(definitions) as [ChannelType, ...ChannelType[]];

/** Types that call people: see `isPaging`. */
export const pagingTypes: readonly ChannelType[] = channelTypeNames.filter(
  type => channelTypes[type].isPaging === true,
);
