import type { Assertion } from './assertion.ts';

const types = ['latency_p95', 'dns_changed', 'run_seconds', 'measured'] as const;

/** Decided by what no agent knows: what other checks found, the signals of a job, or stored events. */
export type LeftToControlPlane = Extract<Assertion, { type: (typeof types)[number] }>;

export function isLeftToControlPlane(assertion: Assertion): assertion is LeftToControlPlane {
  return types.some(type => type === assertion.type);
}
