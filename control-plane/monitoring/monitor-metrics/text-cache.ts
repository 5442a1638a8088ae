import { secondMs } from '#shared/duration.ts';

const keptMs = 10 * secondMs;
const bytesMax = 64 * 1024 * 1024;

/** Texts that were written in the last ten seconds, at most 64 MiB of them. */
export class TextCache {
  readonly #texts = new Map<string, { text: string; atMs: number }>();
  #length = 0;

  get(key: string, nowMs: number): string | null {
    const found = this.#texts.get(key);
    return found !== undefined && nowMs - found.atMs < keptMs && nowMs >= found.atMs ? found.text : null;
  }

  set(key: string, text: string, nowMs: number): void {
    this.#drop(key);
    this.#texts.set(key, { text, atMs: nowMs });
    this.#length += text.length;
    // The oldest are first.
    for (const [old, { atMs }] of this.#texts)
      if (old !== key && (nowMs - atMs >= keptMs || this.#length > bytesMax)) this.#drop(old);
  }

  #drop(key: string): void {
    this.#length -= this.#texts.get(key)?.text.length ?? 0;
    this.#texts.delete(key);
  }
}
