import type { Socket } from 'node:net';
import type { Deadline } from '../deadline.ts';
import { connectByHttp } from './http-connect.ts';
import type { ProxyServer } from './proxy.ts';
import { ProxyTalk } from './proxy-talk.ts';
import { connectBySocks } from './socks5.ts';

/** Where a tunnel leads to; `authority` is host and port as one text. */
type End = { host: string; port: number; authority: string };

/**
 * Has a proxy connect to a target over a connection to it, which is the tunnel from then on. Rejects with ProbeRefusal,
 * DialError or DeadlineError; the socket is destroyed then.
 */
export async function openTunnel(socket: Socket, proxy: ProxyServer, end: End, deadline: Deadline): Promise<void> {
  using talk = new ProxyTalk(socket, deadline);
  try {
    if (proxy.protocol === 'http') await connectByHttp(talk, proxy, end.authority);
    else await connectBySocks(talk, proxy, end);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
