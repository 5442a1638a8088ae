import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { hourMs, minuteMs } from '#shared/duration.ts';

/** A token as its endpoint gave it; `lifetimeS` is null if it did not say how long it lasts. */
export type Token = { value: string; lifetimeS: number | null };
/** `isFresh`: it was fetched for this check. */
export type UsedToken = { value: string; isFresh: boolean };

type Entry = { value: string; untilMs: number };

const usualMs = 5 * minuteMs;
const longestMs = 24 * hourMs;
const marginPart = 1 / 10;
const marginMaxMs = minuteMs;
/** Of all tokens together, each with what its entry takes besides. */
const charactersMax = 16_777_216;
const entryCharacters = 256;

/** How long a token is used: a tenth less than it lasts, but no more than a minute less. */
export function usedForMs(lifetimeS: number | null): number {
  if (lifetimeS === null) return usualMs;
  const lifetimeMs = Math.min(Math.max(lifetimeS, 0) * 1000, longestMs);
  return lifetimeMs - Math.min(lifetimeMs * marginPart, marginMaxMs);
}

/** Tokens of an agent, in memory alone. All checks that would ask for the same one share it. */
export class TokenCache {
  readonly #tokens = new LRUCache<string, Entry>({
    maxSize: charactersMax,
    sizeCalculation: ({ value }) => value.length + entryCharacters,
  });
  readonly #fetching = new Map<string, Promise<Token>>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** The token of a key, fetched if there is none that lasts. What `fetch` rejects with is not remembered. */
  async get(key: string, fetch: () => Promise<Token>): Promise<UsedToken> {
    const known = this.#tokens.get(key);
    if (known !== undefined && known.untilMs > this.#nowMs()) return { value: known.value, isFresh: false };
    const { value } = await this.#fetchOnce(key, fetch);
    return { value, isFresh: true };
  }

  /** A target refused it: the next check fetches another, unless one was fetched meanwhile. */
  forget(key: string, value: string): void {
    if (this.#tokens.get(key)?.value === value) this.#tokens.delete(key);
  }

  #fetchOnce(key: string, fetch: () => Promise<Token>): Promise<Token> {
    const running = this.#fetching.get(key);
    if (running !== undefined) return running;
    const started = fetch()
      .then(token => {
        const untilMs = this.#nowMs() + usedForMs(token.lifetimeS);
        this.#tokens.set(key, { value: token.value, untilMs });
        return token;
      })
      .finally(() => this.#fetching.delete(key));
    this.#fetching.set(key, started);
    return started;
  }
}

/** Distinguishes tokens by project and by all that they depend on, without having secrets as keys. */
export function tokenKey(project: string, auth: object, egress: object | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([project, auth, egress ?? null]))
    .digest('base64');
}
