import { version } from '../../version.ts';
import type { Hop } from '../redirect.ts';

/** The customer's headers over the agent's defaults; `Connection` and `Content-Length` are always the agent's. */
export function headersOf(hop: Hop, cookies: string | null): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    Host: hop.url.host,
    'User-Agent': `upquorum/${version}`,
    Accept: '*/*',
    'Accept-Encoding': 'gzip, deflate, br, zstd',
  };
  for (const name in hop.headers) {
    const folded = name.toLowerCase();
    if (ownNames.has(folded)) continue;
    const defaultName = defaultNames[folded];
    if (defaultName !== undefined) delete headers[defaultName];
    headers[name] = hop.headers[name] ?? '';
  }
  if (cookies !== null) addCookies(headers, cookies);
  headers.Connection = 'close';
  if (hop.body !== null) headers['Content-Length'] = Buffer.byteLength(hop.body);
  else if (hop.method === 'POST' || hop.method === 'PUT' || hop.method === 'PATCH') headers['Content-Length'] = 0;
  return headers;
}

function addCookies(headers: Record<string, string | number>, cookies: string): void {
  const name = Object.keys(headers).find(candidate => candidate.toLowerCase() === 'cookie') ?? 'Cookie';
  headers[name] = headers[name] === undefined ? cookies : `${headers[name]}; ${cookies}`;
}

const ownNames = new Set(['connection', 'content-length', 'transfer-encoding']);
const defaultNames: Record<string, string> = {
  host: 'Host',
  'user-agent': 'User-Agent',
  accept: 'Accept',
  'accept-encoding': 'Accept-Encoding',
};
