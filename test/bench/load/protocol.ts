/** The agents that a load generator simulates, and their monitors and rate. */
export type LoadPlan = {
  url: string;
  agents: readonly { secret: string; region: string; monitors: readonly { id: string; down: boolean }[] }[];
  resultsPerMessage: number;
  /** Of all agents together; null: as fast as acknowledgements allow. */
  resultsPerSecond: number | null;
};

/** A message of results that was sent at least once. If acknowledged, the database must contain it. */
export type Sent = {
  region: string;
  scheduledAt: number;
  count: number;
  acknowledged: boolean;
  /** When it was acknowledged, if the sender noted it. */
  acknowledgedAt?: number;
};

export type LoadCommand = { type: 'plan'; plan: LoadPlan } | { type: 'go' } | { type: 'drain' } | { type: 'ledger' };

export type LoadReport =
  | { type: 'ready' }
  | { type: 'progress'; acknowledged: number }
  | { type: 'drained'; acknowledged: number; refused: number; connections: number }
  | { type: 'ledger'; sent: readonly Sent[] };
