import { randomUUID } from 'node:crypto';
import { secondMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { StepRequest } from '../../platform/http/endpoint/endpoint.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { neededOf } from '../monitors/kinds/rules.ts';
import type { Meter } from '../monitors/measures/meter.ts';
import type { MonitorTest } from '../monitors/monitor.ts';
import { reveal } from '../monitors/secrets/hidden.ts';
import { readSecretsNamed } from '../monitors/secrets/project-secrets-store.ts';
import { namesOf } from '../monitors/secrets/uses.ts';
import { findMonitor } from '../monitors/store.ts';
import { answerContext, requestContext } from './dispatcher.ts';
import { type ProbeAnswer, type Tested, testAssignment, viewTested } from './probe.ts';
import { countRuns, deleteRun, insertProbes, listAgentsOf, readAnswers } from './store.ts';
import type { Waiters } from './waiters.ts';

export type ProbeServices = {
  keyring: Keyring;
  waiters: Waiters;
  meter: Meter;
  chargeTest(projectId: string): Promise<void>;
};

type Steps = Pick<StepRequest<unknown, unknown, unknown>, 'transact' | 'now'>;
type Asked = { id: string; region: string; agentId: string };

const runsMax = 2;
/** For the way to the agent and back. */
const graceMs = 5 * secondMs;
/** Notifications may be lost. */
const lookAgainMs = secondMs;

/**
 * One attempt in each region, by an agent that can make one at once. Nothing of it is kept. Throws `rate_limited` over
 * ten in a minute, and while two others of the project run.
 */
export async function runTest(
  { keyring, waiters, chargeTest }: ProbeServices,
  projectId: string,
  test: MonitorTest,
  { transact, now }: Steps,
): Promise<Tested[]> {
  await chargeTest(projectId);
  const runId = randomUUID();
  using waiter = waiters.open(runId);
  const { settings, values } = await transact(async sql => {
    const lender = test.monitor_id === undefined ? null : await findMonitor(sql, keyring, projectId, test.monitor_id);
    const { settings } = reveal(test, lender?.monitor.settings ?? {});
    return { settings, values: await secretsFor(sql, keyring, projectId, settings) };
  });
  const assignment = testAssignment(projectId, settings, values);
  const fields = Object.keys(settings);
  const blacksOut = values.size === 0 ? [] : (['secrets.1'] as const);
  const needs = new Set([...neededOf(settings, fields), ...blacksOut]);
  const expiresAt = now() + assignment.timeout_ms + graceMs;
  const tested: Tested[] = [];
  const asked = await transact(async sql => {
    if ((await countRuns(sql, projectId, now())) >= runsMax) throw busy();
    const agents = await listAgentsOf(sql, test.regions, [...needs].sort());
    const chosen = test.regions.flatMap((region): Asked[] => {
      const there = agents.filter(agent => agent.region === region);
      const able = there.filter(agent => agent.able);
      const agent = able[Math.floor(Math.random() * able.length)];
      if (agent !== undefined) return [{ id: randomUUID(), region, agentId: agent.id }];
      const problem = there.length === 0 ? 'no_agent' : 'no_able_agent';
      tested.push({ region, agent_id: null, result: null, problem, response: null });
      return [];
    });
    const text = JSON.stringify(assignment);
    const probes = chosen.map(({ id, agentId }) => ({ id, agentId, sealed: keyring.seal(text, requestContext(id)) }));
    if (probes.length > 0) await insertProbes(sql, { id: runId, projectId, expiresAt }, probes);
    return chosen;
  });
  const answers = new Map<string, ProbeAnswer>();
  try {
    while (answers.size < asked.length && now() < expiresAt) {
      await waiter.wait(Math.min(lookAgainMs, Math.max(1, expiresAt - now())));
      for (const { id, sealed_answer } of await transact(sql => readAnswers(sql, runId)))
        answers.set(id, JSON.parse(keyring.open(sealed_answer, answerContext(id))) as ProbeAnswer);
    }
  } finally {
    if (asked.length > 0) await transact(sql => deleteRun(sql, runId));
  }
  for (const { id, ...where } of asked)
    tested.push(viewTested(where, answers.get(id) ?? { result: null, response: null }, test, now()));
  return test.regions.flatMap(region => tested.filter(one => one.region === region));
}

/** One that was deleted since the test was found valid is asked for again. */
async function secretsFor(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  settings: MonitorTest,
): Promise<Map<string, string>> {
  const names = namesOf(settings, Object.keys(settings));
  const secrets = await readSecretsNamed(sql, keyring, projectId, names);
  if (secrets.size < names.length)
    throw fieldProblem('', 'unknown_reference', 'names a secret that was deleted meanwhile');
  return new Map([...secrets].map(([name, { value }]) => [name, value]));
}

function busy(): Problem {
  return new Problem('rate_limited', { retryAfter: 5, detail: 'two tests of monitors of the project are running' });
}
