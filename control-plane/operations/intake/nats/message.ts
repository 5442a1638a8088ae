import type { NewEvent } from '../../../analytics/events/event.ts';
import type { Reported } from '../../../monitoring/checks/intake/prepare.ts';

/** Below the server's 1 MiB for a message, with room for its headers. */
export const messageBytesMax = 900_000;
const version = 1;

/** Results of one agent that came together. */
export type ReportedPart = Omit<Reported, 'result'> & { results: readonly unknown[] };

/** A message that was not written by this version or one it knows. */
export class UnreadableMessage extends Error {
  override name = 'UnreadableMessage';
}

/** Pure: results by agent and time of receipt, as one message. */
export function encodeResults(reported: readonly Reported[]): Uint8Array {
  const parts: (Omit<ReportedPart, 'results'> & { results: unknown[] })[] = [];
  for (const { result, ...sender } of reported) {
    const last = parts.at(-1);
    if (last !== undefined && last.agentId === sender.agentId && last.receivedAt === sender.receivedAt)
      last.results.push(result);
    else parts.push({ ...sender, results: [result] });
  }
  return encode(parts);
}

/** Throws UnreadableMessage. The results themselves are parsed by whoever stores them. */
export function decodeResults(bytes: Uint8Array): ReportedPart[] {
  return decode(bytes).map(item => {
    const { agentId, region, isPrivate, receivedAt, results } = item as Partial<ReportedPart>;
    const isPart =
      typeof agentId === 'string' &&
      typeof region === 'string' &&
      typeof isPrivate === 'boolean' &&
      typeof receivedAt === 'number' &&
      Array.isArray(results);
    if (!isPart) throw new UnreadableMessage('a part of the message has no agent, region or time');
    return { agentId, region, isPrivate, receivedAt, results };
  });
}

/** Pure: accepted events as one message. */
export function encodeEvents(events: readonly NewEvent[]): Uint8Array {
  return encode(events);
}

/** Throws UnreadableMessage. */
export function decodeEvents(bytes: Uint8Array): NewEvent[] {
  return decode(bytes).map(item => {
    const { id, projectId, name, timestamp } = item as Partial<NewEvent>;
    const isEvent =
      typeof id === 'string' &&
      typeof projectId === 'string' &&
      typeof name === 'string' &&
      typeof timestamp === 'number';
    if (!isEvent) throw new UnreadableMessage('an item of the message is no event');
    return item as NewEvent;
  });
}

function encode(items: readonly unknown[]): Uint8Array {
  return Buffer.from(JSON.stringify({ v: version, items }));
}

function decode(bytes: Uint8Array): unknown[] {
  let message: { v?: unknown; items?: unknown } | null;
  try {
    message = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw new UnreadableMessage('the message is not JSON');
  }
  if (message?.v !== version || !Array.isArray(message.items))
    throw new UnreadableMessage(`the message is not of version ${version}`);
  const isList = message.items.every(item => typeof item === 'object' && item !== null);
  if (!isList) throw new UnreadableMessage('the message has items that are no objects');
  return message.items;
}
