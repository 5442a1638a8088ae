import type { Outbound, OutboundAnswer, OutboundRequest } from '../../platform/http/outbound.ts';
import { classifyOutboundError } from './answer.ts';
import type { Outcome } from './outcome.ts';

/** By what a service finds the first message of a conversation again. */
export type Thread = Readonly<Record<string, string>>;

/**
 * What became of a message. `thread`: where it is; null if nothing can reply to it. `moved`: what the service wants
 * instead of fields of the configuration from now on.
 */
export type Sent<Found extends Thread = Thread> = {
  outcome: Outcome;
  thread: Found | null;
  moved?: Readonly<Record<string, string>>;
};

/** A way to recipients: sends a message once. Failures of the service and of the network become outcomes. */
export type Transport<Message, Context, Found extends Thread = Thread> = {
  send(message: Message, context: Context): Promise<Sent<Found>>;
};

/** The outcome of a message that nothing can reply to. */
export function unthreaded(outcome: Outcome): Sent<never> {
  return { outcome, thread: null };
}

/** Makes a request; `result` says what its answer means. `ours`: without one, the recipient is not to blame. */
export async function callService<Found extends Thread>(
  outbound: Outbound,
  request: OutboundRequest,
  result: (answer: OutboundAnswer) => Sent<Found>,
  ours = false,
): Promise<Sent<Found>> {
  let answer: OutboundAnswer;
  try {
    answer = await outbound.post(request);
  } catch (error) {
    return unthreaded(classifyOutboundError(error, ours));
  }
  return result(answer);
}
