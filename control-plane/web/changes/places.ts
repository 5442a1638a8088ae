import { Problem } from '../../platform/http/problem.ts';

/** How many streams may be open: of one project, and of all together. */
export type PlaceLimits = { perProject: number; total: number };

type Place = { close(): void };

const retryAfterSeconds = 30;

/**
 * Who has a stream open. While all places are taken, the project with the most gives its oldest to one that has fewer:
 * a few projects cannot keep the others out, and two never take a place from each other in turns.
 */
export class StreamPlaces {
  readonly #limits: PlaceLimits;
  /** By project, the oldest first. */
  readonly #open = new Map<string, Set<Place>>();
  #count = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a place and returns the function that gives it back. `close` is called if the place goes to another project;
   * it is given back then. Throws `rate_limited`.
   */
  take(projectId: string, close: () => void): () => void {
    const own = this.#open.get(projectId)?.size ?? 0;
    if (own >= this.#limits.perProject || (this.#count >= this.#limits.total && !this.#makeRoom(own)))
      throw new Problem('rate_limited', { retryAfter: retryAfterSeconds, detail: 'too many streams are open' });
    const place: Place = { close };
    const places = this.#open.get(projectId) ?? new Set();
    this.#open.set(projectId, places.add(place));
    this.#count += 1;
    return () => this.#giveBack(projectId, place);
  }

  /** Closes a stream of the project that has the most, if it has more than `own` even without it. */
  #makeRoom(own: number): boolean {
    const [[projectId, places] = []] = [...this.#open].sort(([, left], [, right]) => right.size - left.size);
    const [oldest] = places ?? [];
    if (projectId === undefined || places === undefined || oldest === undefined || places.size - 1 <= own) return false;
    this.#giveBack(projectId, oldest);
    oldest.close();
    return true;
  }

  #giveBack(projectId: string, place: Place): void {
    const places = this.#open.get(projectId);
    if (places?.delete(place) !== true) return;
    this.#count -= 1;
    if (places.size === 0) this.#open.delete(projectId);
  }
}
