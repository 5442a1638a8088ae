import type { Item } from '../imported.ts';
import type { Draft } from './draft.ts';
import { hostTarget } from './target.ts';

/** A proxy as other tools have it. */
export type Proxy = { protocol: string; host: string; port: number | null; username: string; password: string };

const protocols: Readonly<Record<string, string>> = {
  http: 'http',
  socks: 'socks5',
  socks5: 'socks5',
  socks5h: 'socks5',
};

/** A proxy of a URL such as `http://me:word@proxy.example:3128`; null if it is none. */
export function proxyAt(text: string): Proxy | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password } = new URL(text);
  const usual = protocol === 'http:' ? 80 : 1080;
  const [name, secret] = [username, password].map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const number = port === '' ? usual : Number(port);
  return {
    protocol: protocol.slice(0, -1),
    host: hostname,
    port: number,
    username: name ?? '',
    password: secret ?? '',
  };
}

/** The member `proxy` of `egress`; null for a proxy that checks cannot use. */
export function proxyItem(draft: Draft, key: string, { protocol, host, port, username, password }: Proxy): Item | null {
  const scheme = protocols[protocol];
  const url = scheme === undefined || port === null ? null : hostTarget(scheme, host, port);
  const isSent = [username, password].every(text => Buffer.byteLength(text) <= 255 && !/\p{Cc}/u.test(text));
  if (url === null || !isSent || (scheme === 'http' && username.includes(':'))) return null;
  return {
    proxy: {
      url,
      ...(username === '' ? {} : { username }),
      ...(password === '' ? {} : { password: draft.sealed(['monitors', key, 'proxy_password'], password) }),
    },
  };
}
