import type { Outbound, OutboundAnswer } from '../http/outbound.ts';
import type { Outcome } from '../notifications/delivery.ts';
import { classifyOutboundError } from '../notifications/webhooks/send.ts';
import type { AdapterContext, AdapterResult } from './adapter.ts';
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
  let answer: OutboundAnswer;
  try {
    answer = await outbound.post(request);
  } catch (error) {
    return ended(classifyOutboundError(error));
  }
  return adapter.result(answer, context);
}

function ended(outcome: Outcome): AdapterResult {
  return { outcome, thread: null };
}
