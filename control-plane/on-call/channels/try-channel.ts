import { secondMs } from '#shared/duration.ts';
import type { ChannelType } from '#shared/vocabulary.ts';
import { wait } from '#shared/wait.ts';
import { emailNotConfigured, type Outcome } from '../../delivery/notifications/delivery.ts';
import type { Mailer } from '../../delivery/notifications/email/send.ts';
import type { Outbound } from '../../platform/http/outbound.ts';
import type { ServiceAddresses } from './adapter.ts';
import { alertEmail } from './adapters/email.ts';
import { pagingTypes } from './adapters/registry.ts';
import type { TestAnswer } from './channel.ts';
import { messageOf } from './message.ts';
import type { ChannelNotice } from './notice.ts';
import { callChannel } from './send.ts';

export type TryServices = {
  outbound: Outbound;
  mailer: Mailer | null;
  baseUrl: string;
  addresses: ServiceAddresses;
};

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
  const notice = testNotice(tried, nowMs);
  const message = messageOf(notice, tried.detail, { baseUrl: services.baseUrl, acknowledgeUrl: null });
  const { type } = tried;
  if (type === 'email') return mailTest(services, tried, message, nowMs);
  const context = {
    addresses: services.addresses,
    slackToken: tried.slackToken,
    slackButtons: false,
    signingSecret: tried.signingSecret,
    deliveryId: `test-${tried.id}-${nowMs}`,
    nowMs,
    thread: null,
  };
  const called = { type, config: tried.config };
  const keyed = { ...message, threadKey: context.deliveryId };
  const { outcome } = await callChannel(services.outbound, called, keyed, context);
  if (outcome.type !== 'sent' || !pagingTypes.includes(type)) return outcome;
  return (await callChannel(services.outbound, called, { ...keyed, step: 'resolved' }, context)).outcome;
}

async function mailTest(
  { mailer }: TryServices,
  { id, config, unconfirmed }: Tried,
  message: ReturnType<typeof messageOf>,
  nowMs: number,
): Promise<Outcome> {
  if (mailer === null) return { type: 'held', error: emailNotConfigured };
  if (unconfirmed !== null) return { type: 'held', error: `address ${unconfirmed + 1} is not confirmed yet` };
  const addresses = config.to as readonly string[];
  const sending = addresses.map((to, index) => mailer.send(alertEmail(message, to, `test-${id}-${index}-${nowMs}`)));
  const outcomes = await Promise.all(sending);
  return outcomes.find(outcome => outcome.type !== 'sent') ?? { type: 'sent' };
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
