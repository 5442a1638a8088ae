import { z } from 'zod';
import { assertionSchema, assertionsMax, isPatternOperator, parseStatusRange, refuse } from './assertion.ts';
import { isJsonPath, isSingular, jsonPathLengthMax } from './json-path.ts';
import { setSizeMax } from './of-kinds.ts';
import { countParts, isPattern, patternLengthMax } from './text-pattern.ts';

/** Parts of all patterns of one monitor: two of the largest, or a hundred everyday ones. */
const partsMax = 4000;
/** Queries of one monitor that are not singular: each may take 100 ms of an agent. */
const searchesMax = 5;
/** The largest that a response can have. */
const statusMax = 599;
/** Assertions whose operand may be a regular expression. */
const patternTypes: readonly unknown[] = ['json_path', 'header', 'body_contains', 'dns_record'];
/** Each looks at the latencies of its window with every result. */
const percentilesMax = 3;

/**
 * New assertions of one monitor, whose status codes exist, and whose patterns and queries compile and are cheap enough
 * together. Compiling takes milliseconds, so an agent, which gets hundreds of monitors at once, checks their form only:
 * it also has to take what earlier versions stored.
 */
export const assertionsSchema = z
  .array(assertionSchema)
  .max(assertionsMax)
  // Also when an item is malformed: all errors of a body are reported at once.
  .superRefine(checkExpressions, { when: () => true });

function checkExpressions(assertions: unknown, context: z.RefinementCtx): void {
  checkTogether(assertions, context, newCost(), []);
}

/** What the expressions of one monitor cost together so far. */
export type Cost = { parts: number; searches: number };

export function newCost(): Cost {
  return { parts: 0, searches: 0 };
}

/** The same of a list that shares the limits with others; `at` is where it is. */
export function checkTogether(
  assertions: unknown,
  context: z.RefinementCtx,
  cost: Cost,
  at: readonly (string | number)[],
): void {
  if (!Array.isArray(assertions) || assertions.length > assertionsMax) return;
  let percentiles = 0;
  for (const [index, assertion] of assertions.entries()) {
    if (typeof assertion !== 'object' || assertion === null) continue;
    const { type, operator, path, value } = assertion;
    const pointer = (field: string) => [...at, index, field];
    if (type === 'latency_p95' && ++percentiles > percentilesMax)
      refuse(context, pointer('type'), 'not_allowed', `of another type: only ${percentilesMax} may be latency_p95`);
    if (type === 'status') checkStatus(operator, value, context, pointer('value'));
    if (type === 'json_path' && typeof path === 'string') checkQuery(path, cost, context, pointer('path'));
    if (patternTypes.includes(type) && isPatternOperator(operator) && typeof value === 'string')
      checkPattern(value, cost, context, pointer('value'));
  }
}

function checkStatus(operator: unknown, value: unknown, context: z.RefinementCtx, pointer: (string | number)[]): void {
  const isSet = operator === 'in' || operator === 'not_in';
  // Another form is refused by the schema of one assertion.
  if (isSet !== Array.isArray(value)) return;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length > setSizeMax) return;
  for (const [index, item] of items.entries()) {
    const last = isSet && typeof item === 'string' ? parseStatusRange(item)?.last : item;
    if (typeof last !== 'number' || !Number.isInteger(last) || last <= statusMax || last > 999) continue;
    refuse(context, isSet ? [...pointer, index] : pointer, 'out_of_range', 'from 100 to 599');
  }
}

/** Whether a query is valid, and how much it adds to the cost. */
export function checkQuery(path: string, cost: Cost, context: z.RefinementCtx, pointer: (string | number)[]): void {
  if (path.length > jsonPathLengthMax || path === '') return;
  if (!isJsonPath(path)) return refuse(context, pointer, 'format', 'a valid RFC 9535 JSONPath query');
  if (isSingular(path)) return;
  cost.searches += 1;
  if (cost.searches > searchesMax)
    refuse(context, pointer, 'not_allowed', `a single name or index at each step: only ${searchesMax} may search`);
}

/** Whether a pattern is valid, and how much it adds to the cost. */
export function checkPattern(
  pattern: string,
  cost: Cost,
  context: z.RefinementCtx,
  pointer: (string | number)[],
): void {
  if (pattern.length > patternLengthMax) return;
  cost.parts += countParts(pattern);
  // Compiling comes last, so that a refused body costs no more than an accepted one.
  if (cost.parts > partsMax)
    return refuse(context, pointer, 'too_long', `shorter: all patterns together may have ${partsMax} parts`);
  if (!isPattern(pattern)) refuse(context, pointer, 'format', 'a regular expression in RE2 syntax');
}
