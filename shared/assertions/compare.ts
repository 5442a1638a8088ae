import { type Budget, newBudget } from './budget.ts';
import type { Json } from './json-path.ts';
import { matchesPattern } from './text-pattern.ts';
import { includesText } from './text-search.ts';

/** Steps of the budget for two values, and for one name of an object. */
const [stepsPerPair, stepsPerName] = [0.25, 2];

/**
 * Compares two JSON values by a positive operator or `neq`. Types are strict: 1 is not "1", and only two numbers or two
 * strings have an order. An unknown operator is false. Once the budget is used up, the result says nothing.
 */
export function compare(operator: string, actual: Json, expected: Json, budget: Budget = newBudget()): boolean {
  const equals = (value: Json, other: Json) => isEqual(value, other, budget);
  switch (operator) {
    case 'eq':
      return equals(actual, expected);
    case 'neq':
      return !equals(actual, expected);
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return compareOrder(operator, actual, expected);
    case 'contains':
      return contains(actual, expected, budget);
    case 'in':
      return Array.isArray(expected) && expected.some(item => equals(actual, item));
    case 'matches':
      return typeof actual === 'string' && typeof expected === 'string' && matchesPattern(expected, actual);
    default:
      return false;
  }
}

function compareOrder(operator: 'lt' | 'lte' | 'gt' | 'gte', left: Json, right: Json): boolean {
  if (typeof left === 'number' && typeof right === 'number') return satisfies(operator, left - right);
  if (typeof left === 'string' && typeof right === 'string')
    return satisfies(operator, left < right ? -1 : Number(left > right));
  return false;
}

function satisfies(operator: 'lt' | 'lte' | 'gt' | 'gte', difference: number): boolean {
  switch (operator) {
    case 'lt':
      return difference < 0;
    case 'lte':
      return difference <= 0;
    case 'gt':
      return difference > 0;
    case 'gte':
      return difference >= 0;
  }
}

function contains(actual: Json, expected: Json, budget: Budget): boolean {
  if (typeof actual === 'string') return typeof expected === 'string' && includesText(actual, expected, budget);
  return Array.isArray(actual) && actual.some(item => budget.steps > 0 && isEqual(item, expected, budget));
}

/** Two lists or objects, of which the members before `next` are equal. */
type Pair = { left: Record<string, Json>; right: Record<string, Json>; names: string[]; next: number };

/** Without recursion: values may be nested thousands deep, and the stack is not. */
function isEqual(left: Json, right: Json, budget: Budget): boolean {
  const open: Pair[] = [];
  if (!mayBeEqual(left, right, budget, open)) return false;
  for (let pair = open.at(-1); pair !== undefined; pair = open.at(-1)) {
    const name = pair.names[pair.next++];
    if (name === undefined) open.pop();
    else if (!Object.hasOwn(pair.right, name)) return false;
    else if (!mayBeEqual(pair.left[name] ?? null, pair.right[name] ?? null, budget, open)) return false;
  }
  return true;
}

/** Whether they are equal but for their members, which are left in `open`. */
function mayBeEqual(left: Json, right: Json, budget: Budget, open: Pair[]): boolean {
  budget.steps -= stepsPerPair;
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  const otherNames = Object.keys(right);
  budget.steps -= (names.length + otherNames.length) * stepsPerName;
  open.push({ left: left as Pair['left'], right: right as Pair['right'], names, next: 0 });
  return names.length === otherNames.length;
}
