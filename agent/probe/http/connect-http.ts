import type { HttpVersion } from '#shared/checks/vocabulary.ts';
import type { ProbeOutcome, ProbeTools } from '../attempt.ts';
import { connect, type Target } from '../connect.ts';
import type { Deadline } from '../deadline.ts';
import { type Connection, DialError } from '../dial.ts';
import type { Egress } from '../egress/egress.ts';
import { chosenProtocol } from '../handshake.ts';
import { noHttp2 } from './exchange.ts';

type HttpConnection = Connection & { isHttp2: boolean };

/** Connects for one hop, in the version of HTTP that was asked for; without TLS, HTTP/2 begins at once. */
export async function connectHttp(
  url: URL,
  version: HttpVersion,
  egress: Egress,
  tools: ProbeTools,
  deadline: Deadline,
  outcome: ProbeOutcome,
): Promise<HttpConnection> {
  const target = targetOf(url, version);
  const alpn = version === '1.1' ? undefined : version === '2' ? 'h2' : 'both';
  const connection = await connect({ ...target, alpn }, egress, tools, deadline, outcome).catch(error => {
    throw version === '2' && isAlpnRefusal(error) ? noHttp2() : error;
  });
  const isHttp2 = target.secure ? chosenProtocol(connection.socket) === 'h2' : version === '2';
  if (version !== '2' || isHttp2) return { ...connection, isHttp2 };
  connection.socket.destroy();
  outcome.phase = 'tls';
  throw noHttp2();
}

/** Alert 120. */
function isAlpnRefusal(error: unknown): boolean {
  return error instanceof DialError && error.code.endsWith('NO_APPLICATION_PROTOCOL');
}

export function targetOf({ hostname, port, protocol }: URL, version: HttpVersion = '1.1'): Target {
  const secure = protocol === 'https:';
  const host = hostname.replace(/^\[(.+)\]$/, '$1');
  // Proxies forward HTTP/1.1 alone: what begins as HTTP/2 goes through a tunnel.
  return { host, port: Number(port) || (secure ? 443 : 80), secure, isPlainHttp: !secure && version !== '2' };
}
