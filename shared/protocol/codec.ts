import type { z } from 'zod';
import { type AgentMessage, agentMessageSchema, type ControlMessage, controlMessageSchema } from './messages.ts';

/** The message is not JSON or violates the protocol. The reason names a JSON pointer, never the content. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
}

/** Encodes a message as text for the socket. */
export function encode(message: AgentMessage | ControlMessage): string {
  return JSON.stringify(message);
}

/** Decodes a message from an agent. Throws ProtocolError. */
export function decodeAgentMessage(data: string): AgentMessage {
  return decode(agentMessageSchema, data);
}

/** Decodes a message from the control plane. Throws ProtocolError. */
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
