import { setImmediate } from 'node:timers/promises';
import { type Assertion, parseStatusRange } from './assertion.ts';
import type { Json, SelectNodes } from './json-path.ts';
import { matchesAny, matchesPattern } from './text-pattern.ts';

/** What an assertion looks at. `bodyText` is the decoded text, at most its first MiB. */
export type ProbedResponse = {
  statusCode: number;
  headers: ReadonlyMap<string, readonly string[]>;
  bodyText: string;
};

/** Outcome of one assertion; `index` is its place in the monitor's list. Null in `passed`: it was not decided. */
export type AssertionOutcome = {
  index: number;
  type: Assertion['type'];
  passed: boolean | null;
  expected: string;
  actual: string | null;
  skipped?: string;
};

type Verdict = { passed: boolean; actual: Json | undefined };

const shownLengthMax = 256;
const heldMsMax = 20;

/** Evaluates all assertions but `latency_p95`, in order. No assertions mean "status is 2xx". */
export async function evaluate(
  assertions: readonly Assertion[],
  response: ProbedResponse,
  select: SelectNodes,
): Promise<AssertionOutcome[]> {
  if (assertions.length === 0) return [evaluateDefault(response)];
  const outcomes: AssertionOutcome[] = [];
  const document = lazyDocument(response.bodyText);
  let begunMs = performance.now();
  for (const [index, assertion] of assertions.entries()) {
    if (assertion.type === 'latency_p95') continue;
    // Fifty slow patterns must not hold up whatever else this process does.
    if (performance.now() - begunMs > heldMsMax) begunMs = await setImmediate().then(() => performance.now());
    const { passed, actual } = await decide(assertion, response, document, select);
    outcomes.push({
      index,
      type: assertion.type,
      passed,
      expected: describeExpectation(assertion),
      actual: show(actual),
    });
  }
  return outcomes;
}

/** The expectation in words, for people: operator and value. */
export function describeExpectation(assertion: Assertion): string {
  switch (assertion.type) {
    case 'status':
      return cut(`status ${assertion.operator} ${JSON.stringify(assertion.value)}`);
    case 'body_contains':
      return cut(`body ${assertion.operator} ${JSON.stringify(assertion.value)}`);
    case 'header':
      return cut(`header ${assertion.name} ${assertion.operator}${operand(assertion.value)}`);
    case 'json_path':
      return cut(`${assertion.path} ${assertion.operator}${operand(assertion.value)}`);
    case 'latency_p95':
      return `p95 latency ${assertion.operator} ${assertion.value_ms} ms over ${assertion.window_minutes} min`;
  }
}

function evaluateDefault(response: ProbedResponse): AssertionOutcome {
  const passed = response.statusCode >= 200 && response.statusCode <= 299;
  return { index: 0, type: 'status', passed, expected: 'status in ["200-299"]', actual: String(response.statusCode) };
}

async function decide(
  assertion: Exclude<Assertion, { type: 'latency_p95' }>,
  response: ProbedResponse,
  document: () => Json | undefined,
  select: SelectNodes,
): Promise<Verdict> {
  switch (assertion.type) {
    case 'status':
      return {
        passed: compareStatus(assertion.operator, assertion.value, response.statusCode),
        actual: response.statusCode,
      };
    case 'body_contains':
      return decideBody(assertion, response.bodyText);
    case 'header':
      return decideHeader(
        assertion.operator,
        assertion.value,
        response.headers.get(assertion.name.toLowerCase()) ?? [],
      );
    case 'json_path':
      return decideJsonPath(assertion.path, assertion.operator, assertion.value, document(), select);
  }
}

function compareStatus(operator: string, value: Json, statusCode: number): boolean {
  const inSet = () => Array.isArray(value) && value.some(item => item === statusCode || isInRange(item, statusCode));
  if (operator === 'in') return inSet();
  if (operator === 'not_in') return !inSet();
  return compare(operator, statusCode, value);
}

function isInRange(item: Json, statusCode: number): boolean {
  const range = typeof item === 'string' ? parseStatusRange(item) : null;
  return range !== null && range.first <= statusCode && statusCode <= range.last;
}

function decideBody(assertion: Extract<Assertion, { type: 'body_contains' }>, text: string): Verdict {
  const fold = (value: string) => (assertion.case_insensitive ? value.toLowerCase() : value);
  const found = fold(text).includes(fold(assertion.value));
  return { passed: found === (assertion.operator === 'contains'), actual: found ? 'found' : 'not found' };
}

/** Any of several values may match; a negative operator must hold for all of them, and so holds for none. */
function decideHeader(operator: string, expected: Json | undefined, values: readonly string[]): Verdict {
  const actual = values.length === 0 ? undefined : values.join(', ');
  if (operator === 'exists' || operator === 'not_exists')
    return { passed: values.length > 0 === (operator === 'exists'), actual };
  const positive = positiveOf(operator);
  const any =
    operator === 'matches'
      ? matchesSome(expected, values)
      : values.some(value => compare(positive, value, expected ?? null));
  return { passed: positive === operator ? any : !any, actual };
}

/** Any selected node may satisfy; no node fails every operator but `not_exists`. */
async function decideJsonPath(
  path: string,
  operator: string,
  expected: Json | undefined,
  document: Json | undefined,
  select: SelectNodes,
): Promise<Verdict> {
  if (document === undefined) return { passed: operator === 'not_exists', actual: 'not JSON' };
  const nodes = await select(path, document).catch(() => null);
  if (nodes === null) return { passed: false, actual: 'the query took too long' };
  const actual = nodes.length <= 1 ? nodes[0] : nodes.slice(0, 20);
  if (operator === 'exists') return { passed: nodes.length > 0, actual };
  if (operator === 'not_exists') return { passed: nodes.length === 0, actual };
  const positive = positiveOf(operator);
  if (operator === 'matches') return { passed: matchesSome(expected, nodes), actual };
  const satisfies = (node: Json) => compare(positive, node, expected ?? null) === (positive === operator);
  return { passed: nodes.some(satisfies), actual };
}

function matchesSome(pattern: Json | undefined, nodes: readonly Json[]): boolean {
  const texts = nodes.filter(node => typeof node === 'string');
  return typeof pattern === 'string' && matchesAny(pattern, texts);
}

/** Parsed when the first assertion asks for it, and only once. */
function lazyDocument(text: string): () => Json | undefined {
  let parsed: { document: Json | undefined } | null = null;
  return () => {
    parsed ??= { document: parseJson(text) };
    return parsed.document;
  };
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
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

/** Typed comparison: 1 is not "1", and an order exists only within numbers or within strings. */
export function compare(operator: string, actual: Json, expected: Json): boolean {
  switch (operator) {
    case 'eq':
      return equal(actual, expected);
    case 'neq':
      return !equal(actual, expected);
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return compareOrder(operator, actual, expected);
    case 'contains':
      return contains(actual, expected);
    case 'in':
      return Array.isArray(expected) && expected.some(item => equal(actual, item));
    case 'matches':
      return typeof actual === 'string' && typeof expected === 'string' && matchesPattern(expected, actual);
    default:
      return false;
  }
}

function compareOrder(operator: 'lt' | 'lte' | 'gt' | 'gte', left: Json, right: Json): boolean {
  if (typeof left === 'number' && typeof right === 'number') return holds(operator, left - right);
  if (typeof left === 'string' && typeof right === 'string')
    return holds(operator, left < right ? -1 : Number(left > right));
  return false;
}

function holds(operator: 'lt' | 'lte' | 'gt' | 'gte', difference: number): boolean {
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
  return Array.isArray(actual) && actual.some(item => equal(item, expected));
}

function equal(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every(
      name =>
        Object.hasOwn(right, name) &&
        equal((left as Record<string, Json>)[name] ?? null, (right as Record<string, Json>)[name] ?? null),
    )
  );
}

function operand(value: Json | undefined): string {
  return value === undefined ? '' : ` ${JSON.stringify(value)}`;
}

function show(actual: Json | undefined): string | null {
  if (actual === undefined) return null;
  return cut(typeof actual === 'string' ? actual : JSON.stringify(actual));
}

function cut(text: string): string {
  return text.length <= shownLengthMax ? text : `${text.slice(0, shownLengthMax - 1).toWellFormed()}…`;
}
