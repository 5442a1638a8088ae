import { setImmediate } from 'node:timers/promises';
import type { Facts } from '../checks/facts.ts';
import type { Assertion } from './assertion.ts';
import { type AttemptFacts, unknownAttempt } from './attempt-facts.ts';
import { type Budget, type CpuMeter, metered, microsPerStep, newBudget, unmetered } from './budget.ts';
import { foldCase } from './case-folding.ts';
import { compareStatus } from './compare-status.ts';
import { type Body, decideBody } from './decide-body.ts';
import {
  decideAddresses,
  decideAgree,
  decideGrpcStatus,
  decideHttpVersion,
  decideJitter,
  decideLatency,
  decideLoss,
  decideRcode,
  decideRecord,
  decideTlsVersion,
} from './decide-kinds.ts';
import { decideHeader, decideNodes } from './decide-values.ts';
import {
  agentBusy,
  beyondFirstMib,
  beyondRead,
  type DecideApart,
  type Decision,
  type JsonPathAssertion,
  notSupported,
  undecided,
} from './decision.ts';
import { describeExpectation, showValue } from './describe.ts';
import { parseJson, unparsed } from './json-document.ts';
import { isSingular, type JsonDocument, QueryNotRun, type SelectNodes } from './json-path.ts';
import { isLeftToControlPlane, type LeftToControlPlane } from './left-to-control-plane.ts';

/**
 * The parts of an answer that assertions examine. Header names are in lower case; `bodyText` is the first MiB of the
 * body, `truncated` if there is more. `statusCode` is null where the kind of the check has none.
 */
export type ProbedResponse = {
  statusCode: number | null;
  headers: ReadonlyMap<string, readonly string[]>;
  bodyText: string;
  truncated: boolean;
  facts?: Facts | null;
  /** Data of all DNS records of the type that was asked for; without it, that of all records in the facts. */
  records?: readonly string[];
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
  step?: number;
};

type Decidable = Exclude<Assertion, LeftToControlPlane>;

type Examined = {
  response: ProbedResponse;
  attempt: AttemptFacts;
  foldedBody: () => string;
  document: () => JsonDocument | null;
  /** Null if the body is small enough to be parsed here. */
  apart: (() => Promise<Map<Assertion, Decision> | null>) | null;
  select: SelectNodes;
  budget: Budget;
};

const blockingMsMax = 20;
/** Parsing this much JSON takes at most 10 ms, and 180 ms for a MiB (measured). */
const parsedHereMax = 65_536;

/**
 * Evaluates all assertions but those left to the control plane, in order. Without any, a status must be 2xx. Large JSON
 * is left to `decideApart`, if given. While `cpu` is short, only the status is examined. `budget`: what all lists of
 * assertions of one check may cost together.
 */
export async function evaluate(
  assertions: readonly Assertion[],
  response: ProbedResponse,
  select: SelectNodes,
  decideApart: DecideApart | null = null,
  cpu: CpuMeter = unmetered,
  attempt: AttemptFacts = unknownAttempt,
  budget: Budget = newBudget(),
): Promise<AssertionOutcome[]> {
  if (assertions.length === 0) return response.statusCode === null ? [] : [evaluateDefault(response.statusCode)];
  const outcomes: AssertionOutcome[] = [];
  const examined: Examined = {
    response,
    attempt,
    foldedBody: once(() => foldCase(response.bodyText)),
    document: once(() => parseJson(response.bodyText)),
    apart:
      decideApart === null || response.bodyText.length <= parsedHereMax
        ? null
        : once(() => decideTogether(assertions, response.bodyText, decideApart)),
    select: stopAtFirstNotRun(select),
    budget,
  };
  let resumedMs = performance.now();
  for (const [index, assertion] of assertions.entries()) {
    if (isLeftToControlPlane(assertion)) continue;
    // Fifty slow patterns must not block the event loop.
    if (performance.now() - resumedMs > blockingMsMax) resumedMs = await setImmediate().then(() => performance.now());
    const { passed, actual, skipped } = await decideMetered(assertion, examined, cpu);
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

function evaluateDefault(statusCode: number): AssertionOutcome {
  const passed = statusCode >= 200 && statusCode <= 299;
  return { index: 0, type: 'status', passed, expected: 'status in ["200-299"]', actual: String(statusCode) };
}

async function decideMetered(assertion: Decidable, examined: Examined, cpu: CpuMeter): Promise<Decision> {
  if (assertion.type !== 'status' && cpu.isShort()) return undecided(agentBusy);
  const decision = metered(cpu, () => decide(assertion, examined).catch(failedToDecide));
  // What other checks do while this one waits is not its own: the rest is counted by its steps.
  const { steps } = examined.budget;
  return decision.finally(() => cpu.spend((steps - examined.budget.steps) * microsPerStep));
}

async function decide(assertion: Decidable, examined: Examined): Promise<Decision> {
  const { response, attempt, budget } = examined;
  const { dns = null, ping = null, grpc = null, http_version = null } = response.facts ?? {};
  switch (assertion.type) {
    case 'status':
      if (response.statusCode === null) return undecided(notSupported);
      return {
        passed: compareStatus(assertion.operator, assertion.value, response.statusCode),
        actual: response.statusCode,
      };
    case 'body_contains':
      return decideBody(assertion, bodyOf(examined), budget);
    case 'header':
      return decideHeader(assertion, response.headers.get(assertion.name.toLowerCase()) ?? [], budget);
    case 'json_path':
      return decideJsonPath(assertion, examined);
    case 'latency':
      return decideLatency(assertion, attempt.latencyMs, attempt.isDelayed);
    case 'http_version':
      return decideHttpVersion(assertion, http_version);
    case 'tls_version':
      return decideTlsVersion(assertion, attempt.tlsProtocol);
    case 'dns_rcode':
      return decideRcode(assertion, dns);
    case 'dns_record':
      return decideRecord(assertion, response.records ?? dns?.answers.map(({ data }) => data) ?? [], budget);
    case 'dns_agree':
      return decideAgree(dns);
    case 'packet_loss':
      return decideLoss(assertion, ping);
    case 'jitter':
      return decideJitter(assertion, ping);
    case 'addresses':
      return decideAddresses(assertion, attempt.addresses ?? null);
    case 'grpc_status':
      return decideGrpcStatus(assertion, grpc);
  }
}

/** Without this a check would have no result at all. The message of an error may contain parts of the body. */
function failedToDecide(error: unknown): Decision {
  return { ...undecided(notSupported), actual: `the agent failed: ${error instanceof Error ? error.name : 'unknown'}` };
}

function bodyOf({ response: { bodyText, truncated, statusCode }, foldedBody }: Examined): Body {
  const beyond = statusCode === null ? beyondRead : beyondFirstMib;
  return { text: bodyText, isWhole: !truncated, beyond, folded: foldedBody };
}

async function decideJsonPath(assertion: JsonPathAssertion, examined: Examined): Promise<Decision> {
  const { response, document, apart, select, budget } = examined;
  const decided = apart === null ? new Map<Assertion, Decision>() : await apart().catch(notAnswered);
  if (decided !== null && !(decided instanceof Map)) return decided;
  const decision = decided?.get(assertion);
  if (decision !== undefined) return decision;
  const body = apart === null ? document() : decided && unparsed(response.bodyText);
  if (body === null)
    return response.truncated ? beyondFirstMib : { passed: assertion.operator === 'not_exists', actual: 'not JSON' };
  const nodes = await select(assertion.path, body).catch(notAnswered);
  return Array.isArray(nodes) ? decideNodes(assertion, nodes, budget) : nodes;
}

function notAnswered(error: unknown): Decision {
  if (error instanceof QueryNotRun) return undecided(agentBusy);
  return { passed: false, actual: 'the query took too long' };
}

async function decideTogether(
  assertions: readonly Assertion[],
  text: string,
  decideApart: DecideApart,
): Promise<Map<Assertion, Decision> | null> {
  const singular = assertions.filter(assertion => assertion.type === 'json_path' && isSingular(assertion.path));
  const decisions = await decideApart(singular as JsonPathAssertion[], text);
  return decisions && new Map(decisions.map((decision, index) => [singular[index] as Assertion, decision]));
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

/** Computed only once, and only if an assertion needs it. */
function once<Value>(compute: () => Value): () => Value {
  let computed: { value: Value } | null = null;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
