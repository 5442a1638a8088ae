import WebSocket from 'ws';
import { messageBytesMax, subprotocol } from '#shared/protocol/messages.ts';
import type { Trust } from './probe/trust.ts';

/** Where the control plane is, and how an agent proves who it is. */
export type Dial = { url: string; secret: string; trust: Trust };

export function openSocket({ url, secret, trust }: Dial, handshakeTimeout: number): WebSocket {
  return new WebSocket(connectAddress(url), subprotocol, {
    headers: { Authorization: `Bearer ${secret}` },
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    handshakeTimeout,
    ...(/^https:/i.test(url) ? { secureContext: trust.hybrid } : {}),
  } as WebSocket.ClientOptions);
}

/** The WebSocket address for agents, given the base URL of the control plane. */
export function connectAddress(base: string): string {
  return `${base.replace(/^http/i, 'ws').replace(/\/+$/, '')}/v0/agents/connect`;
}
