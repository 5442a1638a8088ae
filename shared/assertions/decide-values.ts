import type { Assertion } from './assertion.ts';
import { type Budget, stepsOfAssertionMax } from './budget.ts';
import { compare } from './compare.ts';
import {
  type Decision,
  type JsonPathAssertion,
  notExamined,
  notSupported,
  tooExpensive,
  undecided,
} from './decision.ts';
import type { Json } from './json-path.ts';
import { matchPattern } from './text-pattern.ts';

/** One of several values suffices; a negative operator must hold for all of them, and so holds if there are none. */
export function decideHeader(
  { operator, value: expected }: Extract<Assertion, { type: 'header' }>,
  values: readonly string[],
  budget: Budget,
): Decision {
  const actual = values.length === 0 ? undefined : values.join(', ');
  if (operator === 'exists' || operator === 'not_exists')
    return { passed: values.length > 0 === (operator === 'exists'), actual };
  return decideTexts(operator, expected, values, actual, budget);
}

/** Whether one of several texts meets a positive operator, or all of them a negative one. */
export function decideTexts(
  operator: string,
  expected: Json | undefined,
  values: readonly string[],
  actual: string | undefined,
  budget: Budget,
): Decision {
  if (operator === 'matches') return decideMatch(expected, values, actual, budget);
  if (operator === 'not_matches') return negated(decideMatch(expected, values, actual, budget));
  const positive = positiveOf(operator);
  const any = holdsForAny(values, value => compare(positive, value, expected ?? null, budget), budget);
  if (any === null) return tooExpensive;
  return { passed: positive === operator ? any : !any, actual };
}

/** One selected node suffices; without any, every operator but `not_exists` fails. */
export function decideNodes(
  { operator, value: expected }: JsonPathAssertion,
  nodes: readonly Json[],
  budget: Budget,
): Decision {
  const actual = nodes.length <= 1 ? shownAlone(nodes[0]) : nodes.slice(0, 20);
  if (operator === 'exists') return { passed: nodes.length > 0, actual };
  if (operator === 'not_exists') return { passed: nodes.length === 0, actual };
  if (operator === 'matches') return decideMatch(expected, nodes, actual, budget);
  const positive = positiveOf(operator);
  const satisfies = (node: Json) => compare(positive, node, expected ?? null, budget) === (positive === operator);
  const passed = holdsForAny(nodes, satisfies, budget);
  return passed === null ? tooExpensive : { passed, actual };
}

/** A text that reads like another kind of value has its quotes: nobody understands "expected 1, got 1". */
function shownAlone(node: Json | undefined): Json | undefined {
  if (typeof node !== 'string' || !/^(?:-?\d[\d.eE+-]{0,31}|true|false|null)$/.test(node)) return node;
  return JSON.stringify(node);
}

/** Null if the budget of the assertion or the check ends before that is known. */
function holdsForAny<Value>(
  values: readonly Value[],
  holds: (value: Value) => boolean,
  budget: Budget,
): boolean | null {
  const stepsLeft = Math.max(0, budget.steps - stepsOfAssertionMax);
  for (const value of values) {
    if (budget.steps <= stepsLeft) return null;
    const isHeld = holds(value);
    if (budget.steps <= 0) return null;
    if (isHeld) return true;
  }
  return false;
}

function decideMatch(
  pattern: Json | undefined,
  nodes: readonly Json[],
  actual: Json | undefined,
  budget: Budget,
): Decision {
  const texts = nodes.filter(node => typeof node === 'string');
  const outcome = typeof pattern === 'string' ? matchPattern(pattern, texts, budget) : 'no_match';
  switch (outcome) {
    case 'match':
    case 'no_match':
      return { passed: outcome === 'match', actual };
    case 'not_examined':
      return notExamined('the patterns take too long');
    case 'invalid':
      return undecided(notSupported);
  }
}

/** Of what was examined: what was not stays failed, and what is undecided stays so. */
function negated(decision: Decision): Decision {
  return decision.skipped === undefined ? { ...decision, passed: decision.passed === false } : decision;
}

function positiveOf(operator: string): string {
  switch (operator) {
    case 'neq':
      return 'eq';
    case 'not_contains':
      return 'contains';
    case 'not_in':
      return 'in';
    default:
      return operator;
  }
}
