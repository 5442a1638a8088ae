const prefix = 'redirect:';

/** The content type, as it is stored, of a document that leads to a page's present address. */
export function redirectType(slug: string): string {
  return `${prefix}${slug}`;
}

/** The slug that a document leads to; null if it is an ordinary document. */
export function redirectTarget(contentType: string): string | null {
  return contentType.startsWith(prefix) ? contentType.slice(prefix.length) : null;
}

/** Where a path below `/status/` of a former slug is now. */
export function redirectedPath(path: string, slug: string): string {
  const rest = path.indexOf('/');
  return `/status/${slug}${rest < 0 ? '' : path.slice(rest)}`;
}
