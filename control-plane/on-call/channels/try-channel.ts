import { secondMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import { type Outcome, onHold } from '../../delivery/transports/outcome.ts';
import type { TestAnswer } from './channel.ts';
import { messageOf } from './message.ts';
import type { ChannelNotice } from './notice.ts';
import type { ChannelClients } from './types/channel-type.ts';
import { type ChannelType, channelTypes } from './types/registry.ts';
import type { ServiceAddresses } from './types/service-addresses.ts';

export type TryServices = ChannelClients & { baseUrl: string; addresses: ServiceAddresses };

/** What is tried: a channel, or what one would be. */
export type Tried = {
  project: { id: string; name: string };
  id: string;
  type: ChannelType;
  config: Readonly<Record<string, unknown>>;
  detail: 'full' | 'brief';
  signingSecret: string | null;
  slackToken: string | null;
  /** Which of its email addresses has not confirmed; null: none. */
  unconfirmed: number | null;
};

const withinMs = 15 * secondMs;
const tooSlow: Outcome = { type: 'failed', error: 'no response within 15 seconds', retryAfterMs: null, ours: false };

/** Sends a message that is marked as a test, once. A paging service is called twice: what it opens is closed again. */
export async function tryChannel(services: TryServices, tried: Tried, nowMs: number): Promise<TestAnswer> {
  const startedAt = performance.now();
  const late = wait(withinMs, { ref: false }).then(() => tooSlow);
  const outcome = await Promise.race([outcomeOf(services, tried, nowMs), late]);
  const error = outcome.type === 'sent' ? null : outcome.error;
  return { sent: error === null, error, ms: Math.round(performance.now() - startedAt) };
}

async function outcomeOf(services: TryServices, tried: Tried, nowMs: number): Promise<Outcome> {
  const { outbound, mailer, baseUrl, addresses } = services;
  const { id, config, slackToken, signingSecret, unconfirmed } = tried;
  if (mailer !== null && unconfirmed !== null) return onHold(`address ${unconfirmed + 1} is not confirmed yet`);
  const deliveryId = `test-${id}-${nowMs}`;
  const channel = channelTypes[tried.type];
  const message = messageOf(testNotice(tried, nowMs), tried.detail, { baseUrl, acknowledgeUrl: null });
  const keyed = { ...message, threadKey: deliveryId };
  const context = {
    ...{ outbound, mailer, addresses, config, slackToken, signingSecret, deliveryId, nowMs },
    slackButtons: false,
    thread: null,
  };
  const { outcome } = await channel.send(keyed, context);
  if (outcome.type !== 'sent' || channel.isPaging !== true) return outcome;
  return (await channel.send({ ...keyed, step: 'resolved' }, context)).outcome;
}

function testNotice({ project }: Tried, nowMs: number): ChannelNotice {
  return {
    step: 'test',
    at: nowMs,
    severity: 'p3',
    project,
    group: null,
    members: [],
    joined: 0,
    recovered: 0,
    actor: null,
    title: null,
    lines: ['Alerts will arrive here as soon as a route uses this channel.'],
  };
}
