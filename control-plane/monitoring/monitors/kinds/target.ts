import { isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { isHostName } from '../url.ts';

/** A URL taken apart. `host` is in ASCII and without brackets, empty if there is none; what is missing is null. */
export type Target = { scheme: string; host: string; port: number | null; path: string | null; query: string | null };

const shape = /^([a-z][a-z\d]*):\/\/(\[[^\]/?#@]*\]|[^:/?#@[\]]*)(?::(\d{1,5}))?(\/[^?#]*)?(\?[^#]*)?$/i;

/** Null for what is no URL of this form: credentials, fragments, blanks and ports over 65535 are in none. */
export function targetOf(url: string): Target | null {
  if (/[\s\p{Cc}\\]/u.test(url)) return null;
  const [, scheme, given = '', port, path = null, query = null] = shape.exec(url) ?? [];
  if (scheme === undefined) return null;
  const host = given === '' ? '' : asciiHost(given);
  const number = port === undefined ? null : Number(port);
  if (host === null || (number !== null && (number < 1 || number > 65_535))) return null;
  return { scheme: `${scheme.toLowerCase()}:`, host, port: number, path, query };
}

/** A name in ASCII or an address, without brackets; null if it is neither. */
function asciiHost(text: string): string | null {
  if (text.startsWith('[')) {
    const address = text.slice(1, -1);
    // A zone means something on one machine only, and no URL may have one.
    return isIPv6(address) && !address.includes('%') ? address : null;
  }
  if (isIP(text) !== 0) return text;
  const name = domainToASCII(text);
  // The URL standard would read 127.1 and 0x7f000001 as addresses: what looks like one must be written as one.
  if (name === '' || isIP(name) !== 0 || /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(name)) return null;
  return isHostName(name) ? name : null;
}

/** What is wrong with a URL that must have a host and, with `port`, one as well, and nothing behind them. */
export function hostUrlError(url: string, form: string, { port }: { port: boolean }): string | null {
  const target = targetOf(url);
  const isComplete = target !== null && target.host !== '' && (target.port !== null) === port;
  return isComplete && target.path === null && target.query === null ? null : `must have the form ${form}`;
}

/** The host and port of a URL that `hostUrlError` accepts. */
export function endpointOf(url: string): { host: string; port: number } {
  const target = targetOf(url);
  return { host: target?.host ?? '', port: target?.port ?? 0 };
}
