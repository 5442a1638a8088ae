import type { Outcome } from '../../delivery/notifications/delivery.ts';
import { retryAfterMs } from '../../delivery/notifications/webhooks/send.ts';
import type { OutboundAnswer, OutboundRequest } from '../../platform/http/outbound.ts';
import type { Message } from './message.ts';
import { cut, plainLine } from './text.ts';

/** Base addresses of services that an operator can replace. */
export type ServiceAddresses = { slack: string; pagerduty: string | null; opsgenie: string | null; telegram: string };

/** As the settings name them. */
export function serviceAddresses(settings: {
  slackApiUrl: string;
  pagerdutyApiUrl: string | null;
  opsgenieApiUrl: string | null;
  telegramApiUrl: string;
}): ServiceAddresses {
  return {
    slack: settings.slackApiUrl,
    pagerduty: settings.pagerdutyApiUrl,
    opsgenie: settings.opsgenieApiUrl,
    telegram: settings.telegramApiUrl,
  };
}

/** What an adapter needs beside the message and the configuration. */
export type AdapterContext = {
  /** Id of the delivery: the same in each attempt. */
  deliveryId: string;
  nowMs: number;
  addresses: ServiceAddresses;
  /** What the first message of the group left in this channel; null if there is none. */
  thread: Thread | null;
  /** The project's bot token; null if Slack is not connected. */
  slackToken: string | null;
  /** Whether Slack sends us clicks on buttons. */
  slackButtons: boolean;
  /** Signing secret of a webhook channel. */
  signingSecret: string | null;
};

/** By what a service finds the first message again. */
export type Thread = Readonly<Record<string, string>>;

/** `moved`: what the service wants instead of fields of the configuration from now on. */
export type AdapterResult = { outcome: Outcome; thread: Thread | null; moved?: Readonly<Record<string, string>> };

/**
 * How one type of channel is called. `request` is pure: null means that the service has nothing to be told in this
 * step. `result` says what its answer means.
 */
export type Adapter<Config> = {
  request(message: Message, config: Config, context: AdapterContext): OutboundRequest | { held: string } | null;
  result(answer: OutboundAnswer, context: AdapterContext, config: Config): AdapterResult;
  /** The message without what the customer made of it, for a service that refuses that. */
  plain?(message: Message, config: Config, context: AdapterContext): OutboundRequest;
};

const reasonMax = 200;
/** Enough for the reason of a refusal. */
export const reasonBytesMax = 4096;

export const jsonHeaders = { 'content-type': 'application/json' };

/** A POST of JSON whose answer does not matter beyond its status, and the first bytes that are wanted of it. */
export function jsonPost(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  bodyBytesMax = 0,
): OutboundRequest {
  return { url, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body), bodyBytesMax };
}

/**
 * What an answer means by its status: 2xx is sent; 408, 425, 429, redirects and 5xx are tried again, after
 * `Retry-After` if it is given; any other 4xx would be repeated and is refused. `reason`: in the service's own words.
 */
export function resultOf(
  answer: OutboundAnswer,
  nowMs: number,
  { retryMs = null, reason = null }: { retryMs?: number | null; reason?: unknown } = {},
): AdapterResult {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { outcome: { type: 'sent' }, thread: null };
  const said = typeof reason === 'string' ? cut(plainLine(reason), reasonMax) : '';
  const error = `the service responded with HTTP status ${status}${said === '' ? '' : `: ${said}`}`;
  const again = [408, 425, 429].includes(status) || status < 400 || status >= 500;
  if (!again) return { outcome: { type: 'refused', error, gone: false, ours: false }, thread: null };
  const after = retryMs ?? retryAfterMs(headers['retry-after'], nowMs);
  return { outcome: { type: 'failed', error, retryAfterMs: after, ours: false }, thread: null };
}

/** By status, with the `message` of JSON as the reason. Only for services whose addresses customers cannot choose. */
export const byStatusAndMessage = (answer: OutboundAnswer, { nowMs }: AdapterContext) =>
  resultOf(answer, nowMs, { reason: (jsonOf(answer) as { message?: unknown } | null)?.message });

export const byStatus = (answer: OutboundAnswer, { nowMs }: AdapterContext) => resultOf(answer, nowMs);

/** The answer's JSON; null if it is none. */
export function jsonOf(answer: OutboundAnswer): unknown {
  try {
    return JSON.parse(answer.body);
  } catch {
    return null;
  }
}
