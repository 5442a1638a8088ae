import type { Assertion } from './assertion.ts';
import type { Json } from './json-path.ts';

/** What is known of one assertion: `passed` is null if this agent cannot decide it, and `skipped` says why. */
export type Decision = { passed: boolean | null; actual: Json | undefined; skipped?: string };

export type JsonPathAssertion = Extract<Assertion, { type: 'json_path' }>;

/**
 * Decides assertions with singular queries about a large text in one go, outside the event loop; null if the text is
 * not JSON. Rejects as SelectNodes does.
 */
export type DecideApart = (assertions: readonly JsonPathAssertion[], text: string) => Promise<Decision[] | null>;

export const agentBusy = 'agent_busy';
export const notSupported = 'not_supported';

export const tooExpensive = notExamined('the comparisons take too long');
export const beyondFirstMib = notExamined('only the first MiB of the body is searched');
export const beyondRead = notExamined('only the first 64 KiB of the answer are read');

/** Failed without a claim about what was not looked at. */
export function notExamined(reason: string): Decision {
  return { passed: false, actual: `not_examined: ${reason}`, skipped: 'not_examined' };
}

/** By this agent, for that reason. */
export function undecided(skipped: string): Decision {
  return { passed: null, actual: undefined, skipped };
}
