import { z } from 'zod';
import type { Assertion } from '#shared/assertions/assertion.ts';
import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import type { WireResult } from '#shared/check-result.ts';
import { newId } from '#shared/ids.ts';
import type { Assignment, ShownResponse } from '#shared/protocol/messages.ts';
import { type ShownSteps, shownResponseSchema, shownStepsSchema } from '#shared/protocol/messages.ts';
import { factOf, warns } from '../certificates/certificate.ts';
import { judgeChanged } from '../checks/intake/dns-runs.ts';
import { judgeP95 } from '../checks/intake/latency-p95.ts';
import { checkResultSchema, viewResult } from '../checks/result.ts';
import { delayedOf } from '../checks/storage/detail.ts';
import { warningOf } from '../monitors/alert-rules.ts';
import { withAuthorization } from '../monitors/auth/auth.ts';
import { oauth2Of } from '../monitors/auth/oauth2.ts';
import { wireEgressOf } from '../monitors/egress/egress.ts';
import { otherHttpVersion } from '../monitors/kinds/http-version.ts';
import { checkOf } from '../monitors/kinds/rules.ts';
import { effectiveTimeoutMs, type MonitorTest } from '../monitors/monitor.ts';
import { type SecretValues, withValues } from '../monitors/secrets/uses.ts';
import { warnsOf } from '../monitors/versions/store.ts';

export const testedSchema = checkResultSchema
  .pick({
    status: true,
    started_at: true,
    latency_ms: true,
    delayed_ms: true,
    timings: true,
    status_code: true,
    error: true,
    failure_source: true,
    assertions: true,
    remote_ip: true,
    bytes: true,
    truncated: true,
    tls: true,
    warnings: true,
    dns: true,
    ping: true,
    grpc: true,
    websocket: true,
    http_version: true,
    diagnosis: true,
    addresses: true,
    steps: true,
    measured: true,
  })
  .meta({ title: 'TestedCheck' });

export const testAnswerSchema = z
  .object({
    data: z.array(
      z.object({
        region: z.string(),
        agent_id: z.string().nullable(),
        result: testedSchema.nullable(),
        problem: z
          .enum(['no_agent', 'no_able_agent', 'timeout'])
          .nullable()
          .describe(
            'Why there is no result: no agent is online, none can do this, or none responded in time; null with ' +
              'a result.',
          ),
        response: shownResponseSchema
          .nullable()
          .describe('The response, with the values of the request masked; null without a response.'),
        steps: shownStepsSchema
          .optional()
          .describe('The response to each step, in place of `response`; left out for other kinds.'),
      }),
    ),
  })
  .meta({ title: 'MonitorTest' });
export type Tested = z.infer<typeof testAnswerSchema>['data'][number];

/** An agent's answer. */
export type ProbeAnswer = {
  result: Omit<WireResult, 'seq'> | null;
  response: ShownResponse | null;
  steps?: ShownSteps;
};

/** What an agent is asked: an attempt of a monitor that does not exist, with the secrets of the project it names. */
export function testAssignment(projectId: string, revealed: MonitorTest, secrets: SecretValues): Assignment {
  const settings = withValues(revealed, Object.keys(revealed), secrets);
  const { url, method, headers, body, grpc, auth, assertions, follow_redirects } = settings;
  const check = checkOf(settings);
  const oauth2 = oauth2Of(auth);
  const egress = wireEgressOf(settings.egress ?? null);
  const http_version = otherHttpVersion(settings);
  return {
    monitor_id: newId('mon'),
    config_version: 1,
    lane: projectId,
    url,
    method,
    headers: grpc == null ? withAuthorization(headers, auth) : withAuthorization(grpc.metadata, auth, 'authorization'),
    body,
    interval_ms: settings.interval_seconds * 1000,
    timeout_ms: effectiveTimeoutMs(settings),
    offset_ms: 0,
    follow_redirects,
    ...(http_version === null ? {} : { http_version }),
    assertions,
    ...(oauth2 === null ? {} : { auth: oauth2 }),
    ...(check === null ? {} : { check }),
    ...(egress === null ? {} : { egress }),
    ...(secrets.size === 0 ? {} : { secrets: [...secrets.values()] }),
  };
}

/** What a single check cannot say. */
function undecidedOf(assertion: Assertion, index: number): AssertionOutcome[] {
  if (assertion.type === 'latency_p95') return [judgeP95(index, assertion, { count: 0, p95: null })];
  if (assertion.type !== 'dns_changed') return [];
  const { window_minutes } = assertion;
  return [judgeChanged({ index, window_minutes }, undefined, { id: '', shown: '' })];
}

/** Pure: what the control plane says of an answer, as it would of a result. */
export function viewTested(
  { region, agentId }: { region: string; agentId: string },
  { result, response, steps }: ProbeAnswer,
  test: Pick<MonitorTest, 'assertions' | 'alert_rules'>,
  nowMs: number,
): Tested {
  if (result === null) return { region, agent_id: agentId, result: null, problem: 'timeout', response: null };
  const { timings, error, remote_ip, bytes, truncated, tls, refused_tls, warnings, facts } = result;
  const undecided = test.assertions.flatMap((assertion, index) => undecidedOf(assertion, index));
  const assertions = [...result.assertions, ...(result.status === 'err' ? [] : undecided)].sort(
    (left, right) => left.index - right.index,
  );
  const warning = warningOf(test.alert_rules);
  const isWarned = warns(warning, factOf(result, result.completed_at, warning?.thresholds));
  const warnOn = warnsOf(test.assertions);
  const hasFailed = result.assertions.some(({ passed, index }) => passed === false && warnOn.includes(index));
  const status = result.status === 'err' ? 'err' : isWarned || hasFailed ? 'warn' : 'ok';
  const common = { timings, error, assertions, remote_ip, bytes, truncated, tls, refused_tls, warnings, facts };
  const detail = { ...common, delayed: delayedOf(result) };
  const row = { ...result, status, region, agent_id: agentId, received_at: nowMs, detail } as const;
  const shown = { result: testedSchema.parse(viewResult(row)), problem: null, response };
  return { region, agent_id: agentId, ...shown, ...(steps === undefined ? {} : { steps }) };
}
