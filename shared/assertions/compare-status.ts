import { parseStatusRange } from './assertion.ts';
import { compare } from './compare.ts';
import type { Json } from './json-path.ts';

/** Whether a status code is as asserted. */
export function compareStatus(operator: string, value: Json, statusCode: number): boolean {
  const inSet = () => Array.isArray(value) && value.some(item => item === statusCode || isInRange(item, statusCode));
  if (operator === 'in') return inSet();
  if (operator === 'not_in') return !inSet();
  return compare(operator, statusCode, value);
}

function isInRange(item: Json, statusCode: number): boolean {
  const range = typeof item === 'string' ? parseStatusRange(item) : null;
  return range !== null && range.first <= statusCode && statusCode <= range.last;
}
