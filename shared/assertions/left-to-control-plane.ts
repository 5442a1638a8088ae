import type { Assertion } from './assertion.ts';

/** Decided by what other checks found, which no agent knows. */
export type LeftToControlPlane = Extract<Assertion, { type: 'latency_p95' | 'dns_changed' }>;

export function isLeftToControlPlane(assertion: Assertion): assertion is LeftToControlPlane {
  return assertion.type === 'latency_p95' || assertion.type === 'dns_changed';
}
