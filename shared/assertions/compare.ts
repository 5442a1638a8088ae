import type { Json } from './json-path.ts';
import { matchesPattern } from './text-pattern.ts';

/**
 * Compares two JSON values by a positive operator or `neq`. Types are strict: 1 is not "1", and only two numbers or two
 * strings have an order. An unknown operator is false.
 */
export function compare(operator: string, actual: Json, expected: Json): boolean {
  switch (operator) {
    case 'eq':
      return isEqual(actual, expected);
    case 'neq':
      return !isEqual(actual, expected);
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return compareOrder(operator, actual, expected);
    case 'contains':
      return contains(actual, expected);
    case 'in':
      return Array.isArray(expected) && expected.some(item => isEqual(actual, item));
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

function contains(actual: Json, expected: Json): boolean {
  if (typeof actual === 'string') return typeof expected === 'string' && actual.includes(expected);
  return Array.isArray(actual) && actual.some(item => isEqual(item, expected));
}

function isEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every(
      name =>
        Object.hasOwn(right, name) &&
        isEqual((left as Record<string, Json>)[name] ?? null, (right as Record<string, Json>)[name] ?? null),
    )
  );
}
