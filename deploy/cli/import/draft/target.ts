import { targetOf } from '../../../../control-plane/monitoring/monitors/kinds/target.ts';
import { encodedUrl, urlError, urlLengthMax } from '../../../../control-plane/monitoring/monitors/url.ts';

/** A URL of HTTP without its credentials, which become `auth`; a text says why it is none. */
export type HttpTarget = { url: string; username: string; password: string };

export function httpTarget(text: string): HttpTarget | string {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) return 'its URL is not valid';
  const given = new URL(trimmed);
  const username = decoded(given.username);
  const password = decoded(given.password);
  const hasLogin = given.username !== '' || given.password !== '';
  const bare = hasLogin ? trimmed.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1') : trimmed;
  const url = encodedUrl(bare.replace(/#.*$/s, ''));
  const problem = url.length > urlLengthMax ? 'is too long' : urlError(url);
  return problem === null ? { url, username, password } : `its URL ${problem}`;
}

/** `scheme://host:port`, or without a port where none is given; null if host or port is not valid. */
export function hostTarget(scheme: string, host: string, port: number | null): string | null {
  const bare = host.trim().replace(/^\[(.*)\]$/, '$1');
  const written = bare.includes(':') ? `[${bare}]` : bare;
  const url = `${scheme}://${written}${port === null ? '' : `:${port}`}`;
  const target = targetOf(url);
  const isValid = target !== null && target.host !== '' && target.path === null && target.query === null;
  return isValid && url.length <= urlLengthMax ? url : null;
}

/** `dns://server/name?type=T`; null if a part is not valid. */
export function dnsTarget(server: string, port: number | null, name: string, type: string): string | null {
  const host = server === '' ? 'dns://' : hostTarget('dns', server, port === 53 ? null : port);
  const query = name
    .trim()
    .replace(/(?<=.)\.$/, '')
    .toLowerCase();
  const labels = query === '.' ? [] : query.split('.');
  const isName = query.length <= 253 && labels.every(label => /^[a-z0-9_*-]{1,63}$/.test(label));
  if (host === null || !isName || !recordTypes.has(type)) return null;
  return `${host}/${query}?type=${type}`;
}

const recordTypes = new Set('A AAAA CAA CNAME DNSKEY DS HTTPS MX NAPTR NS PTR SOA SRV SVCB TLSA TXT'.split(' '));

/** Host and port of `host:port`, `[v6]:port`, `host` or an address of version 6 without brackets. */
export function hostAndPort(text: string): { host: string; port: number | null } {
  const [, bracketed, named, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = bracketed ?? named;
  if (host === undefined) return { host: text.trim(), port: null };
  return { host, port: port === undefined ? null : Number(port) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
