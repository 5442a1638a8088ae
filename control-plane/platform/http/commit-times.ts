/** What commits by itself, again and again. The last few have something to store all the time, or look for it. */
export type Writer =
  | 'results'
  | 'events'
  | 'stored_results'
  | 'stored_events'
  | 'verdicts'
  | 'heartbeats'
  | 'facts'
  | 'alert_groups'
  | 'pages'
  | 'funnels'
  | `deliveries_${string}`;

/** When each writer of this process last committed, for /readyz and /metrics. */
export class CommitTimes {
  readonly #atMs = new Map<Writer, number>();
  readonly #now: () => number;

  /** `now` counts milliseconds, from any beginning. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A writer that starts now: until its first commit, its age is counted from here. */
  expect(...writers: readonly Writer[]): void {
    for (const writer of writers) this.mark(writer);
  }

  /** The writer has committed, or has found nothing to commit. */
  mark(writer: Writer): void {
    this.#atMs.set(writer, this.#now());
  }

  /** How long ago each writer last committed, in whole milliseconds. */
  agesMs(): Record<string, number> {
    const now = this.#now();
    return Object.fromEntries(this.#atMs.entries().map(([writer, atMs]) => [writer, Math.round(now - atMs)]));
  }
}
