import { z } from 'zod';
import { domainOrigin } from './own-address.ts';

const rowSchema = z.object({
  domain: z.string(),
  pageId: z.string(),
  /** The page is served there, or leads to where it is. */
  isProven: z.boolean(),
  /** It was proven at some time. */
  wasProven: z.boolean(),
  isCanonical: z.boolean(),
});
export const hostRowsSchema = z.array(rowSchema);

/** A domain of a page as fronts know it. */
export type HostRow = z.infer<typeof rowSchema>;

/** Own domains of pages by their names, as far as this replica knows. */
export class Hosts {
  #hosts: ReadonlyMap<string, HostRow> = new Map();
  #canonical: ReadonlyMap<string, string> = new Map();

  /** Replaces all. A name that nobody has proven is nobody's yet. */
  set(rows: readonly HostRow[]): void {
    // The last of a name counts: the one that is proven.
    const proven = rows.filter(({ wasProven }) => wasProven);
    const ordered = proven.toSorted((left, right) => Number(left.isProven) - Number(right.isProven));
    this.#hosts = new Map(ordered.map(row => [row.domain, row]));
    const canonical = ordered.filter(row => row.isProven && row.isCanonical);
    this.#canonical = new Map(canonical.map(row => [row.pageId, row.domain]));
  }

  find(host: string): HostRow | undefined {
    return this.#hosts.get(host);
  }

  /** Finds the address of a page that is known by a domain of its own; null for others. */
  homes(baseUrl: string): (pageId: string) => string | null {
    return pageId => {
      const domain = this.canonicalOf(pageId);
      return domain === undefined ? null : domainOrigin(baseUrl, domain);
    };
  }

  /** The domain by which a page is known; undefined: its address below PUBLIC_URL. */
  canonicalOf(pageId: string): string | undefined {
    return this.#canonical.get(pageId);
  }
}
