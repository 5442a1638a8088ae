import { setImmediate } from 'node:timers/promises';
import { type Assertion, parseStatusRange } from './assertion.ts';
import { compare } from './compare.ts';
import { describeExpectation, showValue } from './describe.ts';
import { type Json, type JsonDocument, QueryNotRun, type SelectNodes } from './json-path.ts';
import { matchPattern, newPatternBudget, type PatternBudget } from './text-pattern.ts';

/**
 * The parts of a response that assertions examine. Header names are in lower case; `bodyText` is the first MiB of the
 * body, `truncated` if there is more.
 */
export type ProbedResponse = {
  statusCode: number;
  headers: ReadonlyMap<string, readonly string[]>;
  bodyText: string;
  truncated: boolean;
};

/**
 * The outcome of one assertion; `index` is its position in the monitor's list. `passed` is null if it is undecided, and
 * `skipped` says why: `agent_busy`, `not_supported` by this agent. With `not_examined` it failed, unseen.
 */
export type AssertionOutcome = {
  index: number;
  type: Assertion['type'];
  passed: boolean | null;
  expected: string;
  actual: string | null;
  skipped?: string;
};

type Decision = { passed: boolean | null; actual: Json | undefined; skipped?: string };
type Examined = {
  response: ProbedResponse;
  document: () => JsonDocument | null;
  select: SelectNodes;
  budget: PatternBudget;
};

const blockingMsMax = 20;

/** Evaluates all assertions except `latency_p95`, in order. Without any, the status must be 2xx. */
export async function evaluate(
  assertions: readonly Assertion[],
  response: ProbedResponse,
  select: SelectNodes,
): Promise<AssertionOutcome[]> {
  if (assertions.length === 0) return [evaluateDefault(response)];
  const outcomes: AssertionOutcome[] = [];
  const examined: Examined = {
    response,
    document: lazyDocument(response.bodyText),
    select: stopAtFirstNotRun(select),
    budget: newPatternBudget(),
  };
  let resumedMs = performance.now();
  for (const [index, assertion] of assertions.entries()) {
    if (assertion.type === 'latency_p95') continue;
    // Fifty slow patterns must not block the event loop.
    if (performance.now() - resumedMs > blockingMsMax) resumedMs = await setImmediate().then(() => performance.now());
    const { passed, actual, skipped } = await decide(assertion, examined);
    outcomes.push({
      index,
      type: assertion.type,
      passed,
      expected: describeExpectation(assertion),
      actual: showValue(actual),
      ...(skipped === undefined ? {} : { skipped }),
    });
  }
  return outcomes;
}

/** True if the agent itself is the reason that an assertion is undecided. */
export function isUndecidedByAgent(outcome: AssertionOutcome): boolean {
  return outcome.passed === null && (outcome.skipped === agentBusy || outcome.skipped === notSupported);
}

function evaluateDefault(response: ProbedResponse): AssertionOutcome {
  const passed = response.statusCode >= 200 && response.statusCode <= 299;
  return { index: 0, type: 'status', passed, expected: 'status in ["200-299"]', actual: String(response.statusCode) };
}

async function decide(assertion: Exclude<Assertion, { type: 'latency_p95' }>, examined: Examined): Promise<Decision> {
  const { response } = examined;
  switch (assertion.type) {
    case 'status':
      return {
        passed: compareStatus(assertion.operator, assertion.value, response.statusCode),
        actual: response.statusCode,
      };
    case 'body_contains':
      return decideBody(assertion, response);
    case 'header':
      return decideHeader(assertion, response.headers.get(assertion.name.toLowerCase()) ?? [], examined.budget);
    case 'json_path':
      return decideJsonPath(assertion, examined);
  }
}

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

function decideBody(assertion: Extract<Assertion, { type: 'body_contains' }>, response: ProbedResponse): Decision {
  const fold = (value: string) => (assertion.case_insensitive ? value.toLowerCase() : value);
  const found = fold(response.bodyText).includes(fold(assertion.value));
  if (!found && response.truncated && assertion.operator === 'contains') return beyondFirstMib;
  return { passed: found === (assertion.operator === 'contains'), actual: found ? 'found' : 'not found' };
}

/** One of several values suffices; a negative operator must hold for all of them, and so holds if there are none. */
function decideHeader(
  { operator, value: expected }: Extract<Assertion, { type: 'header' }>,
  values: readonly string[],
  budget: PatternBudget,
): Decision {
  const actual = values.length === 0 ? undefined : values.join(', ');
  if (operator === 'exists' || operator === 'not_exists')
    return { passed: values.length > 0 === (operator === 'exists'), actual };
  if (operator === 'matches') return decideMatch(expected, values, actual, budget);
  const positive = positiveOf(operator);
  const any = values.some(value => compare(positive, value, expected ?? null));
  return { passed: positive === operator ? any : !any, actual };
}

/** One selected node suffices; without any, every operator but `not_exists` fails. */
async function decideJsonPath(
  { path, operator, value: expected }: Extract<Assertion, { type: 'json_path' }>,
  { response, document, select, budget }: Examined,
): Promise<Decision> {
  const body = document();
  if (body === null)
    return response.truncated ? beyondFirstMib : { passed: operator === 'not_exists', actual: 'not JSON' };
  const nodes = await select(path, body).catch(error => (error instanceof QueryNotRun ? 'not_run' : 'too_slow'));
  if (nodes === 'not_run') return undecided(agentBusy);
  if (nodes === 'too_slow') return { passed: false, actual: 'the query took too long' };
  const actual = nodes.length <= 1 ? nodes[0] : nodes.slice(0, 20);
  if (operator === 'exists') return { passed: nodes.length > 0, actual };
  if (operator === 'not_exists') return { passed: nodes.length === 0, actual };
  if (operator === 'matches') return decideMatch(expected, nodes, actual, budget);
  const positive = positiveOf(operator);
  const satisfies = (node: Json) => compare(positive, node, expected ?? null) === (positive === operator);
  return { passed: nodes.some(satisfies), actual };
}

function decideMatch(
  pattern: Json | undefined,
  nodes: readonly Json[],
  actual: Json | undefined,
  budget: PatternBudget,
): Decision {
  const texts = nodes.filter(node => typeof node === 'string');
  const outcome = typeof pattern === 'string' ? matchPattern(pattern, texts, budget) : 'no_match';
  switch (outcome) {
    case 'match':
    case 'no_match':
      return { passed: outcome === 'match', actual };
    case 'not_examined':
      return { passed: false, actual: 'not_examined: the patterns take too long', skipped: notExamined };
    case 'invalid':
      return undecided(notSupported);
  }
}

const agentBusy = 'agent_busy';
const notSupported = 'not_supported';
const notExamined = 'not_examined';
const beyondFirstMib: Decision = {
  passed: false,
  actual: 'not_examined: only the first MiB of the body is searched',
  skipped: notExamined,
};

function undecided(skipped: string): Decision {
  return { passed: null, actual: undefined, skipped };
}

/** Once a query was not run, the others of the check do not wait for their turn either. */
function stopAtFirstNotRun(select: SelectNodes): SelectNodes {
  let notRun: QueryNotRun | null = null;
  return async (path, document) => {
    if (notRun !== null) throw notRun;
    try {
      return await select(path, document);
    } catch (error) {
      if (error instanceof QueryNotRun) notRun = error;
      throw error;
    }
  };
}

/** The body as JSON, parsed only once and only if an assertion needs it; null if it is not JSON. */
function lazyDocument(text: string): () => JsonDocument | null {
  let parsed: { document: JsonDocument | null } | null = null;
  return () => {
    parsed ??= { document: parseJson(text) };
    return parsed.document;
  };
}

function parseJson(text: string): JsonDocument | null {
  try {
    return { text, value: JSON.parse(text) as Json };
  } catch {
    return null;
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
