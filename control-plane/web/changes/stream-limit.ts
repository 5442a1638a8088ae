import { Problem } from '../../platform/http/problem.ts';

/** How many streams may be open: of one project, and of all together. */
export type StreamLimits = { perProject: number; total: number };

type Stream = { close(): void };

const retryAfterSeconds = 30;

/**
 * Limits open streams. At the total limit, the project with the most loses its oldest to one that has fewer: a few
 * projects cannot keep the others out, and two never close each other's streams in turns.
 */
export class StreamLimit {
  readonly #limits: StreamLimits;
  /** By project, the oldest first. */
  readonly #open = new Map<string, Set<Stream>>();
  #count = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a stream and returns the function to call when it ends. `close` is called if another project's stream takes
   * its turn; it counts no longer then. Throws `rate_limited`.
   */
  take(projectId: string, close: () => void): () => void {
    const own = this.#open.get(projectId)?.size ?? 0;
    if (own >= this.#limits.perProject || (this.#count >= this.#limits.total && !this.#closeOne(own)))
      throw new Problem('rate_limited', { retryAfter: retryAfterSeconds, detail: 'too many streams are open' });
    const stream: Stream = { close };
    const streams = this.#open.get(projectId) ?? new Set();
    this.#open.set(projectId, streams.add(stream));
    this.#count += 1;
    return () => this.#release(projectId, stream);
  }

  /** Closes a stream of the project that has the most, if it has more than `own` even without it. */
  #closeOne(own: number): boolean {
    const [[projectId, streams] = []] = [...this.#open].sort(([, left], [, right]) => right.size - left.size);
    const [oldest] = streams ?? [];
    if (projectId === undefined || streams === undefined || oldest === undefined || streams.size - 1 <= own)
      return false;
    this.#release(projectId, oldest);
    oldest.close();
    return true;
  }

  #release(projectId: string, stream: Stream): void {
    const streams = this.#open.get(projectId);
    if (streams?.delete(stream) !== true) return;
    this.#count -= 1;
    if (streams.size === 0) this.#open.delete(projectId);
  }
}
