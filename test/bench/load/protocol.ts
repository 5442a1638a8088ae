/** What a load generator plays: agents, each with its monitors, as fast as acknowledgements allow or at a given rate. */
export type LoadPlan = {
  url: string;
  agents: readonly { secret: string; region: string; monitors: readonly { id: string; down: boolean }[] }[];
  resultsPerMessage: number;
  /** Of all agents together; null for as fast as possible. */
  resultsPerSecond: number | null;
};

/** One message of results that was sent at least once: what the database must hold when it was acknowledged. */
export type Sent = { region: string; scheduledAt: number; count: number; acknowledged: boolean };

export type LoadCommand = { type: 'plan'; plan: LoadPlan } | { type: 'go' } | { type: 'drain' } | { type: 'ledger' };

export type LoadReport =
  | { type: 'ready' }
  | { type: 'progress'; acknowledged: number }
  | { type: 'drained'; acknowledged: number; refused: number; connections: number }
  | { type: 'ledger'; sent: readonly Sent[] };
