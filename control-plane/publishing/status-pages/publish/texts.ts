import { secondMs } from '#shared/duration.ts';
import { unformatted } from '../../../platform/markup/markdown.ts';
import { type RenderedText, renderText } from '../../../platform/markup/rendered-text.ts';

/** A text that was rendered because no stored HTML was made from it. `hash` is the text's. */
export type FreshText = {
  of: 'update' | 'postmortem' | 'maintenance' | 'maintenance_update';
  id: string;
  hash: string;
  rendered: RenderedText;
};

const budgetMs = 2 * secondMs;

/**
 * Texts rendered during one publication: each once, however many documents show it. They are stored after the commit.
 * After two seconds of rendering the other texts are shown unformatted, until the next publication continues.
 */
export class Texts {
  readonly #fresh = new Map<string, FreshText>();
  readonly #budgetMs: number;
  #spentMs = 0;
  #isExhausted = false;

  constructor(maxMs = budgetMs) {
    this.#budgetMs = maxMs;
  }

  /** True if a text was left unformatted. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  render(of: FreshText['of'], id: string, hash: string, markdown: string): RenderedText {
    const key = `${of} ${id} ${hash}`;
    const known = this.#fresh.get(key);
    if (known !== undefined) return known.rendered;
    if (this.#spentMs >= this.#budgetMs) {
      this.#isExhausted = true;
      return { html: unformatted(markdown), excerpt: markdown.slice(0, 200) };
    }
    const startedAt = performance.now();
    const rendered = renderText(markdown);
    this.#spentMs += performance.now() - startedAt;
    this.#fresh.set(key, { of, id, hash, rendered });
    return rendered;
  }

  list(of: FreshText['of']): FreshText[] {
    return [...this.#fresh.values()].filter(text => text.of === of);
  }
}
