import { parentPort } from 'node:worker_threads';
import { newBudget } from '#shared/assertions/budget.ts';
import type { Decision, JsonPathAssertion } from '#shared/assertions/decision.ts';
import { showValue } from '#shared/assertions/describe.ts';
import { type Json, selectValues } from '#shared/assertions/json-path.ts';
import type { Answer, Question } from './json-path.ts';

/** A larger result is of no use to anybody, and copying it would cost the agent too much. */
const nodesMax = 100_000;

/** The queries of one check come one after the other, for one document. */
let last: { text: string; value: Json } | null = null;

parentPort?.on('message', async (question: Question) => {
  try {
    parentPort?.postMessage((await answerTo(question)) ?? { failed: true });
  } catch {
    parentPort?.postMessage({ failed: true });
  }
});
parentPort?.postMessage('ready');

/** Null if too much is selected. */
async function answerTo(question: Question): Promise<Answer | null> {
  if ('assertions' in question)
    return { decisions: isJson(question.text) ? await decideAll(question.assertions) : null };
  const nodes = selectValues(question.path, read(question.text));
  return nodes.length > nodesMax ? null : { nodes };
}

/** Of the document read last. What was selected may be large, so only what people see of it is copied. */
async function decideAll(assertions: readonly JsonPathAssertion[]): Promise<Decision[]> {
  // Only now: it brings the library for patterns, and a worker that is started again should be ready soon.
  const { decideNodes } = await import('#shared/assertions/decide-values.ts');
  const budget = newBudget();
  return assertions.map(assertion => {
    const { actual, ...decision } = decideNodes(assertion, selectValues(assertion.path, last?.value ?? null), budget);
    return { ...decision, actual: showValue(actual) ?? undefined };
  });
}

function isJson(text: string): boolean {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
}

function read(text: string): Json {
  if (last?.text === text) return last.value;
  // Two large documents at once would not fit.
  last = null;
  last = { text, value: JSON.parse(text) as Json };
  return last.value;
}
