import type { AddressFacts } from '../checks/addresses.ts';

/** What is known of the attempt beside its answer. `isDelayed`: the agent stood still during it. */
export type AttemptFacts = {
  latencyMs: number;
  isDelayed: boolean;
  tlsProtocol: string | null;
  addresses?: AddressFacts | null;
};

export const unknownAttempt: AttemptFacts = { latencyMs: 0, isDelayed: false, tlsProtocol: null };
