/** What an attacker has: an account of its own, agents of a private region, a page, and no more. */
export type Grounds = {
  url: string;
  port: number;
  token: string;
  projectId: string;
  /** Secrets of agents of its private region `hostile-own`. */
  agentSecrets: readonly string[];
  pageId: string;
  slug: string;
  /** For stand-ins of slow work that only the database can show, such as a lock that is kept. */
  databaseUrl: string;
};

/** Counts what was sent and how it was answered. */
export type Tally = (what: string | number, count?: number) => void;

/**
 * Attacks until the signal aborts, and calls `begun` once everything it needs is made. Errors of its own connections
 * are part of it.
 */
export type Attack = (grounds: Grounds, tally: Tally, signal: AbortSignal, begun: () => void) => Promise<void>;

export type AttackerCommand = { type: 'start'; name: string; grounds: Grounds } | { type: 'stop' };
export type AttackerReport =
  | { type: 'ready' }
  | { type: 'begun' }
  | { type: 'stopped'; counts: Record<string, number>; errors: string[] };
