import type { Assertion } from '#shared/assertions/assertion.ts';
import { newBudget } from '#shared/assertions/budget.ts';
import { type KindAttempt, plainResponse } from '../kind.ts';
import type { Inbox, Message } from './inbox.ts';

/** Whether it is about the text of a message. */
export function isOfMessage({ type }: Assertion): boolean {
  return type === 'body_contains' || type === 'json_path';
}

/**
 * The first message that satisfies all assertions about messages, the last one if none does, null if none comes. All
 * looks share the budget of one check, however many messages come.
 */
export async function findMessage(
  inbox: Inbox,
  { assertions, judge }: Pick<KindAttempt, 'assertions' | 'judge'>,
): Promise<Message | null> {
  const ofMessage = assertions.filter(isOfMessage);
  const budget = newBudget();
  let last: Message | null = null;
  for (let message = await inbox.next(); message !== null; message = await inbox.next()) {
    last = message;
    const outcomes = await judge(ofMessage, plainResponse({ bodyText: message.text }), budget);
    // What the agent could not decide, it cannot decide of another message either.
    if (outcomes.every(({ passed }) => passed !== false)) return message;
  }
  return last;
}
