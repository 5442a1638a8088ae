import type { AdapterContext } from '#control-plane/on-call/channels/adapter.ts';
import { adapterOf, type CalledType } from '#control-plane/on-call/channels/adapters/registry.ts';
import { configSchemas } from '#control-plane/on-call/channels/config.ts';
import { type Message, messageOf } from '#control-plane/on-call/channels/message.ts';
import type { ChannelNotice, NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import type { OutboundRequest } from '#control-plane/platform/http/outbound.ts';
import { channelConfigs } from './channel-configs.ts';
import { sampleNotice } from './channel-notice.ts';

export const sentAtMs = Date.UTC(2026, 10, 22, 9, 30);
export const acknowledgeUrl = 'https://up.example/ack/token';
export const signingSecret = 'whsec_c2VjcmV0LXNpZ25pbmctc2VjcmV0';

export const channelContext: AdapterContext = {
  deliveryId: 'dlv_1',
  nowMs: sentAtMs,
  addresses: { slack: 'https://slack.example', pagerduty: null, opsgenie: null, telegram: 'https://telegram.example' },
  thread: null,
  slackToken: 'xoxb-0123456789',
  slackButtons: false,
  signingSecret,
};

/** What a channel is sent about one alert at a step, as a route would queue it. */
export function messageAt(step: NoticeStep, changes: Partial<ChannelNotice> = {}, detail: 'full' | 'brief' = 'full') {
  const notice = sampleNotice('agp_1', { step, ...changes });
  return messageOf(notice, detail, { baseUrl: 'https://up.example', acknowledgeUrl });
}

/** The request that a message makes, with its body read. `config` replaces fields of the type's usual one. */
export function requestFor(
  type: CalledType,
  message: Message,
  { config = {}, ...context }: Partial<AdapterContext> & { config?: Record<string, unknown> } = {},
): OutboundRequest & { json: unknown } {
  const whole = configSchemas[type].parse({ ...channelConfigs('https://stub.example/')[type], ...config });
  const request = adapterOf(type).request(message, whole, { ...channelContext, ...context });
  if (request === null || 'held' in request) throw new Error('nothing is sent');
  return { ...request, json: JSON.parse(request.body) };
}

/** The same notice of an alert that somebody else's site, or somebody with bad intent, has named. */
export function messageNamed(step: NoticeStep, name: string, summary = name): Message {
  const notice = sampleNotice('agp_1');
  const members = notice.members.map(({ alert, monitor }) => ({
    alert: { ...alert, title: name, reason: { ...alert.reason, summary } },
    monitor: { ...monitor, name },
  }));
  const actor = step === 'acknowledged' ? name : null;
  return messageAt(step, { members, actor, title: name, lines: [summary], project: { id: 'proj_1', name } });
}

/** All texts of a body. */
export function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
