import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { NatsSettings } from '../settings.ts';

/** A server that leaves two of them without an answer is left for another. */
const pingMs = 5000;

/**
 * A connection that is made again for as long as the process lives: also after errors of authentication, which a busy
 * server answers when many clients come back at once. Throws if no server can be reached now.
 */
export function connectTo({ connection }: Pick<NatsSettings, 'connection'>): Promise<NatsConnection> {
  return connect({
    ...connection,
    name: 'upquorum',
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    ignoreAuthErrorAbort: true,
    pingInterval: pingMs,
    maxPingOut: 2,
  });
}
