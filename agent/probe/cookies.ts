type Cookie = { name: string; value: string; host: string; path: string; secure: boolean };

const cookiesMax = 50;
const cookieLengthMax = 4096;
const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * The cookies that redirects set within one check. Each is sent back to the very host that set it, by the path and
 * `Secure` rules of RFC 6265; `Domain` widens nothing.
 */
export class Cookies {
  readonly #cookies: Cookie[] = [];

  /** Takes the `Set-Cookie` headers of a response from `url`. */
  take(url: URL, headers: readonly string[] | undefined, now: number): void {
    for (const header of headers ?? []) {
      const parsed = parseCookie(url, header, now);
      if (parsed === null) continue;
      const { cookie, expired } = parsed;
      const index = this.#cookies.findIndex(
        ({ name, host, path }) => name === cookie.name && host === cookie.host && path === cookie.path,
      );
      if (index >= 0) this.#cookies.splice(index, 1);
      if (!expired && this.#cookies.length < cookiesMax) this.#cookies.push(cookie);
    }
  }

  /** The value of `Cookie` for a request; null if there is none. Longer paths go first. */
  headerFor(url: URL): string | null {
    const sent = this.#cookies.filter(
      ({ host, path, secure }) =>
        host === url.hostname && pathMatches(path, url.pathname) && (!secure || url.protocol === 'https:'),
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
  const [pair = '', ...attributes] = header.split(';');
  const { name, value } = splitPair(pair);
  if (name === '' && value === '') return null;
  const cookie = { name, value, host: url.hostname, path: defaultPath(url.pathname), secure: false };
  let expiresAt = Number.POSITIVE_INFINITY;
  let maxAgeSeconds: number | null = null;
  for (const attribute of attributes.map(splitAttribute)) {
    if (attribute.name === 'path' && attribute.value.startsWith('/')) cookie.path = attribute.value;
    if (attribute.name === 'secure') cookie.secure = true;
    if (attribute.name === 'expires') expiresAt = Date.parse(attribute.value);
    if (attribute.name === 'max-age' && /^-?\d+$/.test(attribute.value)) maxAgeSeconds = Number(attribute.value);
  }
  if (cookie.secure && url.protocol !== 'https:') return null;
  return { cookie, expired: maxAgeSeconds === null ? expiresAt <= now : maxAgeSeconds <= 0 };
}

/** A pair without `=` is a value without a name, as browsers read it. */
function splitPair(pair: string): { name: string; value: string } {
  const at = pair.indexOf('=');
  return { name: at < 0 ? '' : pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() };
}

function splitAttribute(attribute: string): { name: string; value: string } {
  const at = attribute.indexOf('=');
  const [name, value] = at < 0 ? [attribute, ''] : [attribute.slice(0, at), attribute.slice(at + 1)];
  return { name: name.trim().toLowerCase(), value: value.trim() };
}

function defaultPath(pathname: string): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}

function pathMatches(path: string, pathname: string): boolean {
  return pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
}
