import type { Assertion } from '#shared/assertions/assertion.ts';
import { microsPerStep, newBudget } from '#shared/assertions/budget.ts';
import { decideBody } from '#shared/assertions/decide-body.ts';
import type { KindAttempt } from '../kind.ts';
import type { ReplyBuffer } from './reply-buffer.ts';

type BodyAssertion = Extract<Assertion, { type: 'body_contains' }>;

/** What it takes to make a text of bytes and to fold its case, in steps of the budget. */
const [stepsPerLook, stepsPerByte] = [50, 1 / 4];

/**
 * Tells of a growing answer whether all assertions about it hold, so that no more of it has to be read. All looks share
 * the budget of one check, however small the parts are in which the answer comes.
 */
export function untilDecided({ assertions, cpu }: Pick<KindAttempt, 'assertions' | 'cpu'>) {
  const ofBody = assertions.filter(assertion => assertion.type === 'body_contains');
  const budget = newBudget();
  return (reply: ReplyBuffer): boolean => {
    if (ofBody.length === 0) return true;
    // That something does not come is known at the end alone.
    if (ofBody.some(isNegative) || budget.steps <= 0) return false;
    const before = budget.steps;
    budget.steps -= stepsPerLook + reply.length * stepsPerByte;
    const body = { text: reply.text(), isWhole: true };
    const isEnough = ofBody.every(assertion => decideBody(assertion, body, budget).passed === true);
    cpu.spend((before - budget.steps) * microsPerStep);
    return isEnough;
  };
}

function isNegative({ operator }: BodyAssertion): boolean {
  return operator === 'not_contains' || operator === 'not_matches';
}
