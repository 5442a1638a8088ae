import type { IncomingHttpHeaders } from 'node:http';

const prefix = '/status/';
const returnLengthMax = 500;

/** An address below a page: its slug, what follows with its slash, and three words of its query. */
export type Parts = {
  segment: string;
  rest: string;
  access: string | null;
  key: string | null;
  ticket: string | null;
};

/** Pure: null if the address is not below a page. */
export function partsOf(url: string): Parts | null {
  if (!url.startsWith(prefix)) return null;
  const [path = '', ...query] = url.slice(prefix.length).split('?');
  const slash = path.indexOf('/');
  const [segment, rest] = slash < 0 ? [path, ''] : [path.slice(0, slash), path.slice(slash)];
  const parameters = query.length === 0 ? null : new URLSearchParams(query.join('?'));
  const word = (name: string) => parameters?.get(name) ?? null;
  return { segment, rest, access: word('access'), key: word('key'), ticket: word('ticket') };
}

/** Pure: where a visitor goes after being let in: below the same page, else to its beginning. */
export function returnPath(asked: unknown, segment: string): string {
  const start = `${prefix}${segment}`;
  if (typeof asked !== 'string' || asked.length > returnLengthMax) return start;
  const isBelow = asked === start || asked.startsWith(`${start}/`);
  const isPlain = /^[\x21-\x7e]+$/.test(asked) && !/[?#\\]|\/\.|\/\//.test(asked);
  return isBelow && isPlain && !/\/(access|leave|subscribe)$/.test(asked) ? asked : start;
}

/** Whether a client asks for JSON rather than a page to look at. */
export function wantsJson({ accept = '' }: IncomingHttpHeaders): boolean {
  return /\bjson\b/i.test(accept) && !/text\/html/i.test(accept);
}
