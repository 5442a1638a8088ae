import { version } from '../../version.ts';
import { ProbeRefusal } from '../probe-refusal.ts';
import { authorizationFor, type ProxyServer } from './proxy.ts';
import type { ProxyTalk } from './proxy-talk.ts';

const headBytesMax = 8192;

/** Asks an HTTP proxy for a tunnel to `authority`, RFC 9110 §9.3.6. Rejects with ProbeRefusal if it gives none. */
export async function connectByHttp(talk: ProxyTalk, proxy: ProxyServer, authority: string): Promise<void> {
  const authorization = authorizationFor(proxy);
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    `User-Agent: upquorum/${version}`,
    ...(authorization === null ? [] : [`Proxy-Authorization: ${authorization}`]),
  ];
  talk.send(`${lines.join('\r\n')}\r\n\r\n`);
  for (;;) {
    const head = await talk.through('\r\n\r\n', headBytesMax);
    if (head === null) throw new ProbeRefusal('proxy_failed', 'the head of the proxy’s answer is too large');
    const status = statusOf(head);
    if (status === null) throw new ProbeRefusal('proxy_failed', 'the proxy’s answer is not valid HTTP');
    // Answers before the last one, such as 100 Continue.
    if (status >= 100 && status < 200) continue;
    if (status < 200 || status > 299) throw refusalOf(status);
    return;
  }
}

/** What a status says that is the proxy's own. */
export function refusalOf(status: number): ProbeRefusal {
  if (status === 407) return new ProbeRefusal('proxy_failed', 'the proxy asks for other credentials (status 407)');
  return new ProbeRefusal('proxy_failed', `the proxy refused the connection (status ${status})`);
}

function statusOf(head: Buffer): number | null {
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?:[ \r]|$)/.exec(head.toString('latin1')) ?? [];
  return status === undefined ? null : Number(status);
}
