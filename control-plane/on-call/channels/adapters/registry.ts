import type { ChannelType } from '#shared/vocabulary.ts';
import type { Adapter } from '../adapter.ts';
import { apprise } from './apprise.ts';
import { discord } from './discord.ts';
import { googleChat } from './google-chat.ts';
import { http } from './http.ts';
import { ntfy } from './ntfy.ts';
import { opsgenie } from './opsgenie.ts';
import { pagerduty } from './pagerduty.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

/** Types of channels that are called over HTTP. */
export type CalledType = Exclude<ChannelType, 'email'>;

const adapters = {
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
} as const satisfies { [Type in CalledType]: unknown };

/** The adapter of a type. Its configuration was checked by the schema of the same type. */
export function adapterOf(type: CalledType): Adapter<unknown> {
  return adapters[type] as unknown as Adapter<unknown>;
}

/** Services that call people until somebody reacts: what ended before they were told is not told at all. */
export const pagingTypes: readonly ChannelType[] = ['pagerduty', 'opsgenie'];
