// By the URL standard, but control characters are left in, to be refused.
const encodedInPath = /[ "<>^`{}\u0080-\u{10ffff}]/gu;
const encodedInQuery = /[ "'<>\u0080-\u{10ffff}]/gu;
const encodedInFragment = /[ "<>`\u0080-\u{10ffff}]/gu;
const parts = /^((?:http|ws)s?:\/\/[^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** Longest URL. */
export const urlLengthMax = 2048;

/** A URL whose path and query are encoded as a browser sends them. All else is as given. */
export function encodedUrl(text: string): string {
  if (text.length > urlLengthMax) return text;
  const trimmed = text.replace(/^ +| +$/g, '');
  const [, origin, path = '', query = '', fragment = ''] = parts.exec(trimmed) ?? [];
  if (origin === undefined) return trimmed;
  const encode = (part: string, set: RegExp) => part.replace(set, percentEncoded);
  return origin + encode(path, encodedInPath) + encode(query, encodedInQuery) + encode(fragment, encodedInFragment);
}

function percentEncoded(character: string): string {
  return encodeURIComponent(character.toWellFormed()).replaceAll("'", '%27');
}

/** What is wrong with a URL, also where `URL` would correct it silently and the check would go somewhere else. */
export function urlError(text: string): string | null {
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain control characters, nor blanks before the path';
  const [beforeQuery = ''] = text.split(/[?#]/, 1);
  if (!/^https?:\/\/[^/]/i.test(beforeQuery) || beforeQuery.includes('\\') || !URL.canParse(text))
    return 'must be a URL of a kind: http(s)://, tcp://, tls://, dns://, ping://, grpc(s):// or ws(s)://';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain credentials; send them in a header';
  if (url.port === '0') return 'must not have port 0';
  return isHostName(url.hostname) ? null : 'must name a host or an address';
}

/** An address, or labels of at most 63 characters, with or without the dot of the root. */
export function isHostName(host: string): boolean {
  if (host.startsWith('[')) return true;
  const name = host.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every(label => label.length >= 1 && label.length <= 63);
}
