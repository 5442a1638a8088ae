type Waiting<Job> = { urgent: Job[]; ordinary: Job[] };

/** Jobs that wait, taken from the lanes in turns; within a lane urgent jobs go first, then the oldest. */
export class LaneQueue<Job> {
  readonly #lanes = new Map<string, Waiting<Job>>();

  add(lane: string, job: Job, urgent = false): void {
    const waiting = this.#lanes.get(lane) ?? { urgent: [], ordinary: [] };
    (urgent ? waiting.urgent : waiting.ordinary).push(job);
    this.#lanes.set(lane, waiting);
  }

  /** Removes and returns a job of the next lane that `mayRun` permits; undefined if there is none. */
  take(mayRun: (lane: string) => boolean = () => true): Job | undefined {
    for (const [lane, waiting] of this.#lanes) {
      if (!mayRun(lane)) continue;
      const job = waiting.urgent.shift() ?? waiting.ordinary.shift();
      // A lane that has more moves behind all others.
      this.#lanes.delete(lane);
      if (waiting.urgent.length + waiting.ordinary.length > 0) this.#lanes.set(lane, waiting);
      return job;
    }
    return undefined;
  }

  /** Removes a job that waits no longer. */
  remove(lane: string, job: Job): void {
    const waiting = this.#lanes.get(lane);
    if (waiting === undefined) return;
    waiting.urgent = waiting.urgent.filter(candidate => candidate !== job);
    waiting.ordinary = waiting.ordinary.filter(candidate => candidate !== job);
    if (waiting.urgent.length + waiting.ordinary.length === 0) this.#lanes.delete(lane);
  }
}
