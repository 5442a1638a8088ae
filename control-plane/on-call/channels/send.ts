import type { Outcome } from '../../delivery/notifications/delivery.ts';
import { classifyOutboundError } from '../../delivery/notifications/webhooks/send.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../platform/http/outbound.ts';
import { type AdapterContext, type AdapterResult, byStatus } from './adapter.ts';
import { adapterOf, type CalledType } from './adapters/registry.ts';
import type { Message } from './message.ts';

/** Calls a channel's service once. Failures of the service and the network become outcomes. */
export async function callChannel(
  outbound: Outbound,
  channel: { type: CalledType; config: unknown },
  message: Message,
  context: AdapterContext,
): Promise<AdapterResult> {
  const adapter = adapterOf(channel.type);
  const request = adapter.request(message, channel.config, context);
  if (request === null) return ended({ type: 'sent' });
  if ('held' in request) return ended({ type: 'held', error: request.held });
  return post(outbound, request, answer => adapter.result(answer, context, channel.config));
}

/** Statuses that say: the request as it is written is not taken. */
const unreadStatuses = [400, 413, 415, 422];

/**
 * The same, and a service that does not take what a template made of the message gets it in its plain form. The outcome
 * then is `sent` with a note, and counts against the channel.
 */
export async function callWithPlainForm(
  outbound: Outbound,
  channel: { type: CalledType; config: unknown },
  message: Message,
  context: AdapterContext,
): Promise<AdapterResult> {
  const { plain } = adapterOf(channel.type);
  let status = 0;
  const noted: Outbound = {
    post: async request => {
      const answer = await outbound.post(request);
      status = answer.status;
      return answer;
    },
  };
  const first = await callChannel(noted, channel, message, context);
  if (plain === undefined || !unreadStatuses.includes(status)) return first;
  const refused = `the receiver refused the filled template with HTTP status ${status}`;
  const again = await post(outbound, plain(message, channel.config, context), answer => byStatus(answer, context));
  switch (again.outcome.type) {
    case 'sent':
      return ended({ type: 'sent', note: `${refused}; it got the plain form instead`, blame: true });
    case 'refused':
    case 'failed':
      return ended({ ...again.outcome, error: `${refused}, and the plain form failed: ${again.outcome.error}` });
    default:
      return again;
  }
}

async function post(
  outbound: Outbound,
  request: OutboundRequest,
  result: (answer: OutboundAnswer) => AdapterResult,
): Promise<AdapterResult> {
  let answer: OutboundAnswer;
  try {
    answer = await outbound.post(request);
  } catch (error) {
    return ended(classifyOutboundError(error));
  }
  return result(answer);
}

function ended(outcome: Outcome): AdapterResult {
  return { outcome, thread: null };
}
