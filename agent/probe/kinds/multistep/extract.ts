import type { Budget, CpuMeter } from '#shared/assertions/budget.ts';
import { microsPerStep } from '#shared/assertions/budget.ts';
import type { ProbedResponse } from '#shared/assertions/evaluate.ts';
import { parseJson } from '#shared/assertions/json-document.ts';
import { type Json, type JsonDocument, QueryNotRun, type SelectNodes } from '#shared/assertions/json-path.ts';
import { findInText } from '#shared/assertions/text-pattern.ts';
import { type Extract, extractedBytesMax } from '#shared/checks/steps.ts';

/** What values are taken with. `budget`: what all looks at the answers of one check may cost together. */
export type ExtractTools = { select: SelectNodes; budget: Budget; cpu: CpuMeter };

/** `problem`: why a value was not taken, without anything of the answer. `isAgents`: that was for want of time here. */
export type Extracted = { values: Map<string, string>; problem: string | null; isAgents: boolean };

/** Bytes that all values of one check may have together. */
const valuesBytesMax = 65_536;

/** Takes all values that there are; the first that cannot be taken is the problem. */
export async function extractAll(
  extracts: readonly Extract[],
  response: ProbedResponse,
  before: ReadonlyMap<string, string>,
  tools: ExtractTools,
): Promise<Extracted> {
  const found: Extracted = { values: new Map(), problem: null, isAgents: false };
  let left = valuesBytesMax - [...before.values()].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  let document: JsonDocument | null | undefined;
  const json = () => {
    document = document === undefined ? parseJson(response.bodyText) : document;
    return document;
  };
  for (const extract of extracts) {
    const taken = await take(extract, response, json, tools);
    const value = 'value' in taken ? taken.value : '';
    const bytes = Buffer.byteLength(value);
    left -= bytes;
    const problem = 'problem' in taken ? taken.problem : sizeProblem(bytes, left);
    if (problem === null) found.values.set(extract.name, value);
    else {
      found.problem ??= `\`${extract.name}\` ${problem}`;
      found.isAgents ||= 'isAgents' in taken;
    }
  }
  return found;
}

function sizeProblem(bytes: number, left: number): string | null {
  if (bytes === 0) return 'is empty in the answer';
  if (bytes > extractedBytesMax) return `has more than ${extractedBytesMax} bytes in the answer`;
  return left < 0 ? `makes all values together longer than ${valuesBytesMax} bytes` : null;
}

type Taken = { value: string } | { problem: string; isAgents?: true };

async function take(
  { from, path = '', header = '', pattern = '' }: Extract,
  response: ProbedResponse,
  json: () => JsonDocument | null,
  { select, budget, cpu }: ExtractTools,
): Promise<Taken> {
  switch (from) {
    case 'header':
      return orProblem(response.headers.get(header.toLowerCase())?.[0] ?? null, 'is not among the headers');
    case 'regex': {
      const before = budget.steps;
      const found = findInText(pattern, response.bodyText, budget);
      cpu.spend((before - budget.steps) * microsPerStep);
      return orProblem(found, 'is not found in the body');
    }
    case 'json_path': {
      const body = json();
      if (body === null) return { problem: 'is not found: the body is not JSON' };
      const nodes = await select(path, body).catch((error: unknown) => error);
      if (nodes instanceof QueryNotRun) return { problem: 'was not looked for: the agent is busy', isAgents: true };
      if (!Array.isArray(nodes)) return { problem: 'is not found: the query took too long' };
      return ofNode(nodes[0]);
    }
  }
}

/** A text as it is, other scalars as JSON. */
function ofNode(node: Json | undefined): Taken {
  if (node === undefined) return { problem: 'is not in the body' };
  if (typeof node === 'object' && node !== null) return { problem: 'is an object or a list in the body' };
  return { value: typeof node === 'string' ? node.toWellFormed() : JSON.stringify(node) };
}

function orProblem(value: string | null, problem: string): Taken {
  return value === null ? { problem } : { value };
}
