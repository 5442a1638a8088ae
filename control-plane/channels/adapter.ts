import type { OutboundAnswer, OutboundRequest } from '../http/outbound.ts';
import type { Outcome } from '../notifications/delivery.ts';
import { retryAfterMs } from '../notifications/webhooks/send.ts';
import type { Message } from './message.ts';

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

export type AdapterResult = { outcome: Outcome; thread: Thread | null };

/**
 * How one type of channel is called. `request` is pure: null means that the service has nothing to be told in this
 * step. `result` says what its answer means.
 */
export type Adapter<Config> = {
  request(message: Message, config: Config, context: AdapterContext): OutboundRequest | { held: string } | null;
  result(answer: OutboundAnswer, context: AdapterContext): AdapterResult;
  /** The message without what the customer made of it, for a service that refuses that. */
  plain?(message: Message, config: Config, context: AdapterContext): OutboundRequest;
};

export const jsonHeaders = { 'content-type': 'application/json' };

/** A POST of JSON whose answer does not matter beyond its status. */
export function jsonPost(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): OutboundRequest {
  return { url, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body), bodyBytesMax: 0 };
}

/**
 * What an answer means by its status: 2xx is sent; 408, 425, 429, redirects and 5xx are tried again, after
 * `Retry-After` if it is given; any other 4xx would be repeated and is refused.
 */
export function resultOf(answer: OutboundAnswer, nowMs: number, retryMs: number | null = null): AdapterResult {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { outcome: { type: 'sent' }, thread: null };
  const error = `the service responded with HTTP status ${status}`;
  const again = [408, 425, 429].includes(status) || status < 400 || status >= 500;
  if (!again) return { outcome: { type: 'refused', error, gone: false, ours: false }, thread: null };
  const after = retryMs ?? retryAfterMs(headers['retry-after'], nowMs);
  return { outcome: { type: 'failed', error, retryAfterMs: after, ours: false }, thread: null };
}

export const byStatus = (answer: OutboundAnswer, { nowMs }: AdapterContext) => resultOf(answer, nowMs);

/** The answer's JSON; null if it is none. */
export function jsonOf(answer: OutboundAnswer): unknown {
  try {
    return JSON.parse(answer.body);
  } catch {
    return null;
  }
}
