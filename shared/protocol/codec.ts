import type { z } from 'zod';
import {
  type AgentMessage,
  agentMessageSchema,
  type ControlMessage,
  controlMessageSchema,
  smallMessageBytesMax,
} from './messages.ts';

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
  const value = parse(data);
  // A character is at least a byte; what few bytes more are let in costs no more to validate.
  if (data.length > smallMessageBytesMax && !mayBeLarge(value)) throw new ProtocolError('message too large');
  return validate(agentMessageSchema, value);
}

/** Decodes a message from the control plane. Throws ProtocolError. */
export function decodeControlMessage(data: string): ControlMessage {
  return validate(controlMessageSchema, parse(data));
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new ProtocolError('not JSON');
  }
}

function mayBeLarge(message: unknown): boolean {
  const { type } = Object(message);
  return type === 'results' || type === 'probed';
}

function validate<Message>(schema: z.ZodType<Message>, value: unknown): Message {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(`malformed message at /${parsed.error.issues[0]?.path.join('/') ?? ''}`);
}
