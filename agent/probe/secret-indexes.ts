import { FairPool } from '#shared/fairness/fair-pool.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { laneOf } from '../lanes/lane.ts';
import type { StepsRun } from './kinds/multistep/steps-run.ts';
import { hiddenTexts, type SentRequest, secretsOf, secretsOfRun } from './redact-secrets.ts';
import type { SecretIndex } from './secret-index.ts';

/** Bytes that the indexes of all assignments may take. */
const bytesMax = 33_554_432;
/** What an index takes per character of its request, at most: 5 for 7,200 words (measured), more for many escapes. */
const bytesPerCharacterMax = 10;
/** Forms in which a secret of the project is looked for. They are up to six times as long, in few cases. */
const formsPerSecret = 18;

/**
 * What may not be shown of responses, indexed once for each version of an assignment, when a result first has a text.
 * Lanes share the memory for it.
 */
export class SecretIndexes {
  readonly #indexes = new WeakMap<Assignment, SecretIndex>();
  /** Checks of a version that is run no more may still end. */
  readonly #forgotten = new WeakSet<Assignment>();
  readonly #bytes: FairPool;

  /** `lanes`: how many lanes there are at present. */
  constructor(lanes: () => number, total = bytesMax) {
    this.#bytes = new FairPool(total, lanes);
  }

  /** Bytes that indexes take. */
  get bytes(): number {
    return this.#bytes.used;
  }

  /** Null if its lane has no memory left for the index: then nothing may be shown. */
  of(assignment: Assignment): SecretIndex | null {
    const known = this.#indexes.get(assignment);
    if (known !== undefined) return known;
    const lane = laneOf(assignment);
    if (!this.#bytes.fits(lane, lengthOf(assignment) * bytesPerCharacterMax)) return null;
    const index = secretsOf(assignment);
    if (!this.#forgotten.has(assignment)) {
      this.#bytes.add(lane, index.bytes);
      this.#indexes.set(assignment, index);
    }
    return index;
  }

  /** Of one run of steps, whose answers gave values: it is made for that run alone. Null without memory for it. */
  ofRun(assignment: Assignment, { sent, values }: Pick<StepsRun, 'sent' | 'values'>): SecretIndex | null {
    const length = sent.reduce((sum, request) => sum + lengthOf(request), 0);
    const characters = length + 2 * formsPerSecret * values.reduce((sum, value) => sum + value.length, 0);
    if (!this.#bytes.fits(laneOf(assignment), characters * bytesPerCharacterMax)) return null;
    return secretsOfRun(sent, [...values, ...hiddenTexts(assignment)]);
  }

  /** The assignment is run no more. */
  forget(assignment: Assignment): void {
    const index = this.#indexes.get(assignment);
    this.#forgotten.add(assignment);
    if (index === undefined) return;
    this.#indexes.delete(assignment);
    this.#bytes.remove(laneOf(assignment), index.bytes);
  }
}

function lengthOf(request: SentRequest): number {
  const { url, headers, body } = request;
  const values = Object.values(headers).reduce((sum, value) => sum + value.length, 0);
  const hidden = hiddenTexts(request).reduce((sum, value) => sum + value.length, 0);
  return url.length + values + (body?.length ?? 0) + hidden * formsPerSecret;
}
