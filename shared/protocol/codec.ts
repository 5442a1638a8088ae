import type { z } from 'zod';
import { type AgentMessage, agentMessageSchema, type ControlMessage, controlMessageSchema } from './messages.ts';

/** A message that is not JSON or not of the protocol. The reason names the place, never the content. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
}

/** Text of a message for the socket. */
export function encode(message: AgentMessage | ControlMessage): string {
  return JSON.stringify(message);
}

/** Reads what an agent sent; throws ProtocolError. */
export function decodeAgentMessage(data: string): AgentMessage {
  return decode(agentMessageSchema, data);
}

/** Reads what the control plane sent; throws ProtocolError. */
export function decodeControlMessage(data: string): ControlMessage {
  return decode(controlMessageSchema, data);
}

function decode<Message>(schema: z.ZodType<Message>, data: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new ProtocolError('not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(`malformed message at /${parsed.error.issues[0]?.path.join('/') ?? ''}`);
}
