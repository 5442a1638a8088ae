import type { IncomingHttpHeaders } from 'node:http';

const prefix = '/status/';
const returnLengthMax = 500;

/**
 * An address below a page: its slug, what follows with its slash, and three words of its query. `base`: what stands
 * before `rest` in addresses that the visitor sees, '' at the page's own domain.
 */
export type Parts = {
  base: string;
  segment: string;
  rest: string;
  query: string;
  access: string | null;
  key: string | null;
  ticket: string | null;
};

/** Pure: null if the address is not below a page. */
export function partsOf(url: string): Parts | null {
  if (!url.startsWith(prefix)) return null;
  const [path, query] = splitQuery(url.slice(prefix.length));
  const slash = path.indexOf('/');
  const [segment, rest] = slash < 0 ? [path, ''] : [path.slice(0, slash), path.slice(slash)];
  return { base: prefix + segment, segment, rest, query, ...wordsOf(query) };
}

/** Pure: of an address at the own domain of the page with this slug. */
export function ownPartsOf(url: string, segment: string): Parts {
  const [path, query] = splitQuery(url);
  return { base: '', segment, rest: path === '/' ? '' : path, query, ...wordsOf(query) };
}

function splitQuery(url: string): [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)];
}

function wordsOf(query: string): Pick<Parts, 'access' | 'key' | 'ticket'> {
  const parameters = query === '' ? null : new URLSearchParams(query);
  const word = (name: string) => parameters?.get(name) ?? null;
  return { access: word('access'), key: word('key'), ticket: word('ticket') };
}

/** Pure: the path that the visitor sees. */
export function shownPath({ base, rest }: Pick<Parts, 'base' | 'rest'>): string {
  return base + rest || '/';
}

/** Pure: where a visitor goes after being let in: below the same page, else to its beginning. */
export function returnPath(asked: unknown, base: string): string {
  const start = base || '/';
  if (typeof asked !== 'string' || asked.length > returnLengthMax) return start;
  const isBelow = asked === start || asked.startsWith(`${base}/`);
  const isPlain = /^[\x21-\x7e]+$/.test(asked) && !/[?#\\]|\/\.|\/\//.test(asked);
  return isBelow && isPlain && !/\/(access|leave|subscribe)$/.test(asked) ? asked : start;
}

/** Whether a client asks for JSON rather than a page to look at. */
export function wantsJson({ accept = '' }: IncomingHttpHeaders): boolean {
  return /\bjson\b/i.test(accept) && !/text\/html/i.test(accept);
}
