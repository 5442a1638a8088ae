/** Which of its names a page's documents have. */
export type Named = { slug: string; isPrivate?: boolean };

/**
 * The path by which a document of a page is stored, from its path below the page. Documents of a private page have a
 * space in it, which no request can have: only who looks at the gate first finds them.
 */
export function documentPath({ slug, isPrivate = false }: Named, rest = ''): string {
  return !isPrivate && rest === '' ? slug : documentFolder({ slug, isPrivate }) + rest;
}

/** What the paths of a page's documents begin with, but for the page itself. */
export function documentFolder({ slug, isPrivate = false }: Named): string {
  return isPrivate ? `${slug}/ ` : `${slug}/`;
}

const gateSuffix = '/  gate';

/** The path of the document that says who may see a page. No document below a page has it. */
export function gatePath(slug: string): string {
  return `${slug}${gateSuffix}`;
}

/** The slug of the page whose gate has this path; null if it is no gate's. */
export function slugOfGate(path: string): string | null {
  return path.endsWith(gateSuffix) ? path.slice(0, -gateSuffix.length) : null;
}
