import type { Assertion } from './assertion.ts';
import type { Budget } from './budget.ts';
import { foldCase } from './case-folding.ts';
import { beyondFirstMib, type Decision, notExamined, notSupported, tooExpensive, undecided } from './decision.ts';
import { matchPattern } from './text-pattern.ts';
import { includesText } from './text-search.ts';

/** What is known of a body; `beyond` decides what is not found in it if there was more. */
export type Body = Readonly<{ text: string; isWhole: boolean; beyond?: Decision; folded?: () => string }>;

/** Characters of a body that patterns search. */
const patternTextMax = 131_072;

/** Whether a body has a text or matches a pattern. */
export function decideBody(
  { value, operator, case_insensitive }: Extract<Assertion, { type: 'body_contains' }>,
  body: Body,
  budget: Budget,
): Decision {
  if (budget.steps <= 0) return tooExpensive;
  if (operator === 'matches' || operator === 'not_matches') return decidePattern(value, operator, body, budget);
  const found = case_insensitive
    ? includesText(body.folded?.() ?? foldCase(body.text), foldCase(value), budget)
    : includesText(body.text, value, budget);
  if (!found && !body.isWhole) return body.beyond ?? beyondFirstMib;
  return { passed: found === (operator === 'contains'), actual: found ? 'found' : 'not found' };
}

/** Of the first 128 KiB: what does not match there may match further on. */
function decidePattern(pattern: string, operator: 'matches' | 'not_matches', body: Body, budget: Budget): Decision {
  const outcome = matchPattern(pattern, [body.text.slice(0, patternTextMax)], budget);
  if (outcome === 'invalid') return undecided(notSupported);
  if (outcome === 'not_examined') return notExamined('the patterns take too long');
  if (outcome === 'no_match' && body.text.length > patternTextMax)
    return notExamined('only the first 128 KiB of the body are searched');
  if (outcome === 'no_match' && !body.isWhole) return body.beyond ?? beyondFirstMib;
  return {
    passed: (outcome === 'match') === (operator === 'matches'),
    actual: outcome === 'match' ? 'found' : 'not found',
  };
}
