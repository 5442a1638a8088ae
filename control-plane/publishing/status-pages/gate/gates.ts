import type { Gate } from '../access/gate.ts';

/** Whose gate an address stands before. `gate`: null if it cannot be opened. */
export type Gated = { slug: string; gate: Gate | null; isFormer: boolean };

/** The gates of all private pages by their slugs, and by those that they had. */
export class Gates {
  readonly #gates = new Map<string, Gate | null>();
  readonly #slugs = new Map<string, string>();
  readonly #former = new Map<string, string>();

  set(slug: string, gate: Gate | null): void {
    this.delete(slug);
    this.#gates.set(slug, gate);
    if (gate === null) return;
    this.#slugs.set(gate.pageId, slug);
    for (const former of gate.formerSlugs) this.#former.set(former, slug);
  }

  delete(slug: string): void {
    const gate = this.#gates.get(slug);
    this.#gates.delete(slug);
    if (gate === undefined || gate === null) return;
    if (this.#slugs.get(gate.pageId) === slug) this.#slugs.delete(gate.pageId);
    for (const former of gate.formerSlugs) if (this.#former.get(former) === slug) this.#former.delete(former);
  }

  find(slug: string): Gated | undefined {
    const gate = this.#gates.get(slug);
    if (gate !== undefined) return { slug, gate, isFormer: false };
    const present = this.#former.get(slug);
    return present === undefined
      ? undefined
      : { slug: present, gate: this.#gates.get(present) ?? null, isFormer: true };
  }

  /** Undefined if the page is public, as far as this replica knows. */
  ofPage(pageId: string): Gate | undefined {
    const slug = this.#slugs.get(pageId);
    return slug === undefined ? undefined : (this.#gates.get(slug) ?? undefined);
  }
}
