import { documentPath } from './document-names.ts';
import type { PublishedDocument } from './page-files.ts';
import { plainLength } from './plain-documents.ts';
import { redirectTarget } from './redirect.ts';

/** What a replica has in memory of each published document. */
export type DocumentHead = Omit<PublishedDocument, 'gzip'> & { gzipLength: number; plainLength: number };

/** The documents of all pages by path, and the paths of each page. */
export class PageIndex {
  readonly #heads = new Map<string, DocumentHead>();
  readonly #paths = new Map<string, Set<string>>();
  readonly #slugs = new Map<string, string>();

  get size(): number {
    return this.#heads.size;
  }

  find(path: string): DocumentHead | undefined {
    return this.#heads.get(path);
  }

  pages(): IterableIterator<string> {
    return this.#paths.keys();
  }

  pathsOf(pageId: string): string[] {
    return [...(this.#paths.get(pageId) ?? [])];
  }

  /** The slug of the page's own document, public or private. */
  slugOf(pageId: string): string | undefined {
    return this.#slugs.get(pageId);
  }

  set(head: DocumentHead): void {
    this.delete(head.path);
    const slug = slugOfPage(head);
    if (slug !== null) this.#slugs.set(head.pageId, slug);
    this.#heads.set(head.path, head);
    const paths = this.#paths.get(head.pageId);
    if (paths === undefined) this.#paths.set(head.pageId, new Set([head.path]));
    else paths.add(head.path);
  }

  delete(path: string): void {
    const head = this.#heads.get(path);
    if (head === undefined) return;
    this.#heads.delete(path);
    const slug = slugOfPage(head);
    if (slug !== null && this.#slugs.get(head.pageId) === slug && !this.#isOf(head.pageId, slug))
      this.#slugs.delete(head.pageId);
    const paths = this.#paths.get(head.pageId);
    paths?.delete(path);
    if (paths?.size === 0) this.#paths.delete(head.pageId);
  }

  /** Whether the page has the slug by its other name: one that becomes private or public has both for a moment. */
  #isOf(pageId: string, slug: string): boolean {
    return [false, true].some(isPrivate => {
      const head = this.#heads.get(documentPath({ slug, isPrivate }));
      return head?.pageId === pageId && slugOfPage(head) === slug;
    });
  }
}

export function headOf({ gzip, ...head }: PublishedDocument): DocumentHead {
  return { ...head, gzipLength: gzip.length, plainLength: plainLength(gzip) };
}

/** Null for documents below the page, and for redirects to it. */
function slugOfPage({ path, contentType }: DocumentHead): string | null {
  const [, slug = null] = /^([^/]+)(?:\/ )?$/.exec(path) ?? [];
  return redirectTarget(contentType) === null ? slug : null;
}
