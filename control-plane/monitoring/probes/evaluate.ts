import { secondMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { StepRequest } from '../../platform/http/endpoint/endpoint.ts';
import { viewResult } from '../checks/result.ts';
import { wholeEvents } from '../monitors/kinds/events.ts';
import { judgeMeasured } from '../monitors/measures/judge.ts';
import { instantBefore, measureAt } from '../monitors/measures/measure.ts';
import { type Tested as TestedSettings, withKind } from '../monitors/monitor.ts';
import { type Tested, testedSchema } from './probe.ts';
import type { ProbeServices } from './run.ts';

/** Counts events for settings that are not stored: in the last window of which late events were waited for. */
export async function evaluateTest(
  { meter, chargeTest }: Pick<ProbeServices, 'meter' | 'chargeTest'>,
  projectId: string,
  test: TestedSettings,
  { transact, now }: Pick<StepRequest<unknown, unknown, unknown>, 'transact' | 'now'>,
): Promise<Tested[]> {
  await chargeTest(projectId);
  const { events, interval_seconds, assertions } = withKind({ ...test, name: '' });
  if (events == null) return [];
  const own = wholeEvents(events);
  const nowMs = now();
  const atMs = instantBefore(nowMs, interval_seconds * secondMs, own);
  const apart = <Result>(work: (sql: Sql) => Promise<Result>) => transact(work);
  const measured = await measureAt(apart, meter, { projectId, own, atMs }, nowMs);
  const { status, source, assertions: outcomes } = judgeMeasured(measured, own.min_sample, assertions);
  const detail = {
    timings: null,
    error: null,
    assertions: outcomes,
    remote_ip: null,
    bytes: 0,
    truncated: false,
    tls: null,
    facts: { measured: measured.facts },
  };
  const row = {
    monitor_id: '',
    scheduled_at: atMs,
    region: 'events',
    kind: 'evaluated',
    attempt: 1,
    status,
    failure_source: source,
    agent_id: 'events',
    config_version: 1,
    started_at: atMs,
    completed_at: atMs,
    received_at: nowMs,
    latency_ms: null,
    status_code: null,
    detail,
  } as const;
  return [
    { region: 'events', agent_id: null, result: testedSchema.parse(viewResult(row)), problem: null, response: null },
  ];
}
