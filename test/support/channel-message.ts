import type { Sent } from '#control-plane/delivery/transports/transport.ts';
import { type Message, messageOf } from '#control-plane/on-call/channels/message.ts';
import type { ChannelNotice, NoticeStep } from '#control-plane/on-call/channels/notice.ts';
import type {
  CalledDefinition,
  ChannelContext,
  ChannelDefinition,
} from '#control-plane/on-call/channels/types/channel-type.ts';
import { channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import type { Outbound, OutboundRequest } from '#control-plane/platform/http/outbound.ts';
import { type CalledType, channelConfigs } from './channel-configs.ts';
import { sampleNotice } from './channel-notice.ts';
import { readBody } from './services/service.ts';

export const sentAtMs = Date.UTC(2026, 10, 22, 9, 30);
export const acknowledgeUrl = 'https://up.example/ack/token';
export const signingSecret = 'whsec_c2VjcmV0LXNpZ25pbmctc2VjcmV0';

export const channelContext: ChannelContext = {
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

/** The definition of a type, with the request that it makes. */
export function calledTypeOf(type: CalledType): CalledDefinition {
  const definition = channelTypes[type];
  if (isCalled(definition)) return definition;
  throw new Error(`${type} is not called over HTTP`);
}

function isCalled(definition: ChannelDefinition): definition is CalledDefinition {
  return 'request' in definition;
}

/** Sends a message as a channel of the type does, once. */
export function callChannel(
  outbound: Outbound,
  { type, config }: { type: CalledType; config: Record<string, unknown> },
  message: Message,
  context: ChannelContext,
): Promise<Sent> {
  return channelTypes[type].send(message, { ...context, outbound, mailer: null, config });
}

/** The request that a message makes, with its body read. `config` replaces fields of the type's usual one. */
export function requestFor(
  type: CalledType,
  message: Message,
  { config = {}, ...context }: Partial<ChannelContext> & { config?: Record<string, unknown> } = {},
): OutboundRequest & { json: unknown } {
  const whole = channelTypes[type].schema.parse({ ...channelConfigs('https://stub.example/')[type], ...config });
  const request = calledTypeOf(type).request(message, whole, { ...channelContext, ...context });
  if (request === null || 'onHold' in request) throw new Error('nothing is sent');
  return { ...request, json: readBody(request.headers, request.body) };
}

/** The body that a message of a step makes. */
export function bodyAt(type: CalledType, step: NoticeStep, changes: Partial<ChannelNotice> = {}) {
  return requestFor(type, messageAt(step, changes)).json as Record<string, unknown>;
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
