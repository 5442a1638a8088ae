import type { Assertion } from './assertion.ts';
import type { Json } from './json-path.ts';

const shownLengthMax = 256;

/** The expectation as people read it: subject, operator and value, at most 256 characters. */
export function describeExpectation(assertion: Assertion): string {
  switch (assertion.type) {
    case 'status':
      return cut(`status ${assertion.operator} ${JSON.stringify(assertion.value)}`);
    case 'body_contains':
      return cut(`body ${assertion.operator} ${JSON.stringify(assertion.value)}`);
    case 'header':
      return cut(`header ${assertion.name} ${assertion.operator}${describeOperand(assertion.value)}`);
    case 'json_path':
      return cut(`${assertion.path} ${assertion.operator}${describeOperand(assertion.value)}`);
    case 'latency_p95':
      return `p95 latency ${assertion.operator} ${assertion.value_ms} ms over ${assertion.window_minutes} min`;
  }
}

function describeOperand(value: Json | undefined): string {
  return value === undefined ? '' : ` ${JSON.stringify(value)}`;
}

/** A value as people read it, at most 256 characters; null if there is none. */
export function showValue(actual: Json | undefined): string | null {
  if (actual === undefined) return null;
  return cut(typeof actual === 'string' ? actual : JSON.stringify(actual));
}

function cut(text: string): string {
  return text.length <= shownLengthMax ? text : `${text.slice(0, shownLengthMax - 1).toWellFormed()}…`;
}
