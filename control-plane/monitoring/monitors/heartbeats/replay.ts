import type { Gap } from './away.ts';
import { afterDue, type Beat, type Due, dueOf, noBeat, readSignal, type Signal } from './beat.ts';
import { expectations, type Timing } from './expected.ts';

/** A signal, of which `of` is more, or a version of the settings, which may pause, resume or begin anew. */
export type BeatEvent<Of> = { at: number } & (
  | { type: 'signal'; signal: Signal; of: Of }
  | { type: 'version'; isJudged: boolean; restarts: boolean }
);

/** What votes: a signal, or what did not come in time. */
export type BeatVote<Of> = { type: 'signal'; of: Of } | Exclude<Due, { type: 'wait' }>;

/**
 * Reads stored signals again by one timing, with the rules of the live machine: time votes before a signal that came
 * after the deadline, and not while nobody judges. In parts, each after those before.
 */
export class BeatReplay<Of> {
  readonly #timing: Timing;
  readonly #gaps: readonly Gap[];
  readonly #expect: ReturnType<typeof expectations>;
  #beat: Beat = noBeat;
  #isJudged: boolean;

  constructor(timing: Timing, gaps: readonly Gap[], isJudged: boolean) {
    this.#timing = timing;
    this.#gaps = gaps;
    this.#expect = expectations(timing);
    this.#isJudged = isJudged;
  }

  /** What votes in the order of events. */
  apply(events: readonly BeatEvent<Of>[]): BeatVote<Of>[] {
    return events.flatMap(event => [...this.advance(event.at - 1), ...this.#take(event)]);
  }

  /** What did not come until an instant. */
  advance(untilMs: number): BeatVote<Of>[] {
    const votes: BeatVote<Of>[] = [];
    while (this.#isJudged) {
      const due = dueOf(this.#beat, this.#timing, this.#gaps, untilMs);
      if (due.type === 'wait') break;
      votes.push(due);
      this.#beat = afterDue(this.#beat, due);
    }
    return votes;
  }

  #take(event: BeatEvent<Of>): BeatVote<Of>[] {
    if (event.type === 'version') {
      this.#isJudged = event.isJudged;
      if (event.restarts) this.#beat = noBeat;
      return [];
    }
    if (!this.#isJudged) return [];
    const { beat, says } = readSignal(this.#beat, this.#timing, event.signal, this.#gaps, this.#expect);
    this.#beat = beat;
    return says === null ? [] : [{ type: 'signal', of: event.of }];
  }
}
