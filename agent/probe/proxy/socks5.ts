import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { CheckErrorCode } from '#shared/check-result.ts';
import { ProbeRefusal } from '../probe-refusal.ts';
import type { ProxyServer } from './proxy.ts';
import type { ProxyTalk } from './proxy-talk.ts';

const [version, authVersion, toConnect] = [5, 1, 1];
const methods = { none: 0, password: 2, refused: 0xff } as const;
const kinds = { ipv4: 1, name: 3, ipv6: 4 } as const;

const failed = (message: string) => new ProbeRefusal('proxy_failed', message);

/** What the codes of RFC 1928 §6 mean; all others are the proxy's own failures. */
const replies: Readonly<Record<number, readonly [code: CheckErrorCode, message: string]>> = {
  1: ['proxy_failed', 'the proxy failed'],
  2: ['proxy_failed', 'the proxy does not permit the connection'],
  3: ['connect_timeout', 'the proxy found the network unreachable'],
  4: ['connect_timeout', 'the proxy found the host unreachable'],
  5: ['connect_refused', 'the proxy’s connection was refused'],
  6: ['connect_timeout', 'the proxy’s connection attempt was not answered'],
  7: ['proxy_failed', 'the proxy does not support connections'],
  8: ['proxy_failed', 'the proxy does not support this type of address'],
};

/** Asks a SOCKS5 proxy for a connection, RFC 1928 and 1929. Rejects with ProbeRefusal if it makes none. */
export async function connectBySocks(
  talk: ProxyTalk,
  proxy: ProxyServer,
  { host, port }: { host: string; port: number },
): Promise<void> {
  await agreeOnMethod(talk, proxy);
  talk.send(
    Buffer.concat([Buffer.from([version, toConnect, 0]), addressOf(host), Buffer.from([port >> 8, port & 255])]),
  );
  const [answered, reply = 1, , kind = 0] = await talk.bytes(4);
  if (answered !== version) throw failed('the proxy’s answer is not valid SOCKS5');
  if (reply !== 0) {
    const [code, message] = replies[reply] ?? ['proxy_failed', `the proxy failed with code ${reply}`];
    throw new ProbeRefusal(code, message);
  }
  // The address that the proxy connects from, and its port.
  const length = kind === kinds.ipv4 ? 4 : kind === kinds.ipv6 ? 16 : kind === kinds.name ? await byte(talk) : null;
  if (length === null) throw failed('the proxy’s answer is not valid SOCKS5');
  await talk.bytes(length + 2);
}

async function agreeOnMethod(talk: ProxyTalk, { username, password }: ProxyServer): Promise<void> {
  const signsIn = username !== null || password !== null;
  const offered = signsIn ? [methods.none, methods.password] : [methods.none];
  talk.send(Buffer.from([version, offered.length, ...offered]));
  const [answered, method] = await talk.bytes(2);
  if (answered !== version) throw failed('the proxy’s answer is not valid SOCKS5');
  if (method === methods.none) return;
  if (method !== methods.password || !signsIn) throw failed('the proxy takes none of the methods of signing in');
  talk.send(Buffer.concat([Buffer.from([authVersion]), withLength(username ?? ''), withLength(password ?? '')]));
  const [, status] = await talk.bytes(2);
  if (status !== 0) throw failed('the proxy refused the user name or the password');
}

async function byte(talk: ProxyTalk): Promise<number> {
  return (await talk.bytes(1))[0] ?? 0;
}

/** A name is resolved by the proxy. */
function addressOf(host: string): Buffer {
  const family = isIP(host);
  if (family === 0) return Buffer.concat([Buffer.from([kinds.name]), withLength(host)]);
  return Buffer.from([family === 4 ? kinds.ipv4 : kinds.ipv6, ...ipaddr.parse(host).toByteArray()]);
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
