import { type CpuMeter, unmetered } from '#shared/assertions/budget.ts';
import type { Check } from '#shared/checks/check.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { laneOf } from '../../lanes/lane.ts';
import { attemptWithin, type ProbeOutcome, type ProbeTools } from '../attempt.ts';
import type { TakeBytes } from '../http/body-reader.ts';
import { probeDns } from './dns/probe-dns.ts';
import type { KindProbe } from './kind.ts';
import { probePing } from './ping/probe-ping.ts';
import { probeTcp } from './tcp/probe-tcp.ts';
import { probeTls } from './tls/probe-tls.ts';

/** One line for each kind of check beside HTTP. */
const probes: { [Kind in Check['kind']]: KindProbe<Extract<Check, { kind: Kind }>> } = {
  tcp: probeTcp,
  tls: probeTls,
  dns: probeDns,
  ping: probePing,
};

/** Makes one attempt of a check that is no HTTP request. Never throws because of anything a target does. */
export function probeKind(
  check: Check,
  { timeout_ms, assertions, lane }: Pick<Assignment, 'timeout_ms' | 'assertions' | 'lane'>,
  takeBytes: TakeBytes,
  tools: ProbeTools,
  cpu: CpuMeter = unmetered,
): Promise<ProbeOutcome> {
  const probe = probes[check.kind] as KindProbe<Check>;
  return attemptWithin(timeout_ms, tools, (deadline, outcome) =>
    probe(check, { assertions, tools, deadline, outcome, takeBytes, cpu, lane: laneOf({ lane }) }),
  );
}
