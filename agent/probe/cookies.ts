import { getDomain } from 'tldts';

type Cookie = { name: string; value: string; domain: string; hostOnly: boolean; path: string; secure: boolean };

const cookiesMax = 50;
const cookieLengthMax = 4096;
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * The cookies that redirects set within one check, kept and sent as browsers do: by `Domain`, which reaches no other
 * site, by path, `Secure`, expiry and the prefixes of names (RFC 6265bis). `hostOnly`: each goes back to the host that
 * set it alone.
 */
export class Cookies {
  readonly #cookies: Cookie[] = [];
  readonly #hostOnly: boolean;

  constructor({ hostOnly = false } = {}) {
    this.#hostOnly = hostOnly;
  }

  /** Their values, which may be secrets. */
  get values(): string[] {
    return this.#cookies.map(({ value }) => value);
  }

  /** Takes the `Set-Cookie` headers of a response from `url`. */
  take(url: URL, headers: readonly string[] | undefined, now: number): void {
    for (const header of headers ?? []) {
      const parsed = parseCookie(url, header, now);
      if (parsed === null) continue;
      const { expired } = parsed;
      const cookie = this.#hostOnly ? { ...parsed.cookie, domain: url.hostname, hostOnly: true } : parsed.cookie;
      const index = this.#cookies.findIndex(
        ({ name, domain, hostOnly, path }) =>
          name === cookie.name && domain === cookie.domain && hostOnly === cookie.hostOnly && path === cookie.path,
      );
      if (index >= 0) this.#cookies.splice(index, 1);
      if (!expired && this.#cookies.length < cookiesMax) this.#cookies.push(cookie);
    }
  }

  /** The value of `Cookie` for a request; null if there is none. Longer paths go first. */
  headerFor(url: URL): string | null {
    const sent = this.#cookies.filter(
      ({ domain, hostOnly, path, secure }) =>
        (url.hostname === domain || (!hostOnly && isBelow(url.hostname, domain))) &&
        pathMatches(path, url.pathname) &&
        (!secure || url.protocol === 'https:'),
    );
    if (sent.length === 0) return null;
    return sent
      .toSorted((left, right) => right.path.length - left.path.length)
      .map(({ name, value }) => (name === '' ? value : `${name}=${value}`))
      .join('; ');
  }
}

function parseCookie(url: URL, header: string, now: number): { cookie: Cookie; expired: boolean } | null {
  if (header.length > cookieLengthMax || unsendable.test(header)) return null;
  const [pair = '', ...rest] = header.split(';');
  const { name, value } = splitPair(pair);
  if (name === '' && value === '') return null;
  const attributes = new Map(rest.map(splitAttribute));
  const reach = reachOf(url.hostname, (attributes.get('domain') ?? '').toLowerCase().replace(/^\./, ''));
  if (reach === null) return null;
  const ownPath = attributes.get('path') ?? '';
  const path = ownPath.startsWith('/') ? ownPath : defaultPath(url.pathname);
  const cookie = { name, value, ...reach, path, secure: attributes.has('secure') };
  if (cookie.secure && url.protocol !== 'https:') return null;
  if (!keepsPrefix(cookie, ownPath)) return null;
  return { cookie, expired: isExpired(attributes, now) };
}

/** The hosts a cookie from `host` is for; null if it must be refused. */
function reachOf(host: string, domain: string): Pick<Cookie, 'domain' | 'hostOnly'> | null {
  if (domain === '') return { domain: host, hostOnly: true };
  const site = siteOf(domain);
  if (domain === host) return { domain, hostOnly: site === null };
  return isBelow(host, domain) && site !== null && site === siteOf(host) ? { domain, hostOnly: false } : null;
}

/** The name below a public suffix, such as `example.co.uk`; null for a public suffix itself and for an IP address. */
function siteOf(host: string): string | null {
  return getDomain(host, { allowPrivateDomains: true, extractHostname: false });
}

function isBelow(host: string, domain: string): boolean {
  return host.endsWith(`.${domain}`);
}

/** Whether the cookie has what its name promises; a value without a name must promise nothing. */
function keepsPrefix({ name, value, secure, hostOnly }: Cookie, ownPath: string): boolean {
  const [, prefix] = /^__(host|secure)-/i.exec(name || value) ?? [];
  if (prefix === undefined) return true;
  return name !== '' && secure && (prefix.toLowerCase() === 'secure' || (hostOnly && ownPath === '/'));
}

function isExpired(attributes: ReadonlyMap<string, string>, now: number): boolean {
  const maxAge = attributes.get('max-age') ?? '';
  return /^-?\d+$/.test(maxAge) ? Number(maxAge) <= 0 : Date.parse(attributes.get('expires') ?? '') <= now;
}

/** A pair without `=` is a value without a name, as browsers read it. */
function splitPair(pair: string): { name: string; value: string } {
  const at = pair.indexOf('=');
  return { name: at < 0 ? '' : pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() };
}

function splitAttribute(attribute: string): [name: string, value: string] {
  const at = attribute.indexOf('=');
  const [name, value] = at < 0 ? [attribute, ''] : [attribute.slice(0, at), attribute.slice(at + 1)];
  return [name.trim().toLowerCase(), value.trim()];
}

function defaultPath(pathname: string): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}

function pathMatches(path: string, pathname: string): boolean {
  return pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
}
