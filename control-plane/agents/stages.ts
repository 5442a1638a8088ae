import type { closeCodes } from '#shared/protocol/close-codes.ts';
import type { ControlMessage } from '#shared/protocol/messages.ts';
import type { EnrolledAgent } from './store.ts';

/** A connected agent, as those who follow see it. */
export type AgentSession = {
  readonly id: string;
  readonly agent: EnrolledAgent;
  /** What the agent held when it said hello. */
  readonly held: { revision: number; digest: string };
  /** True once the agent said hello and is known to the database, until the socket closes. */
  readonly ready: boolean;
  send(message: ControlMessage): void;
  close(reason: keyof typeof closeCodes): void;
};

/** What follows what an agent does. Bound in control-plane/stages.ts. */
export type AgentStages = {
  connected(session: AgentSession): void;
  disconnected(session: AgentSession): void;
  applied(session: AgentSession, revision: number, digest: string): void;
  /** Resolves when the results are committed or refused; null for each that is stored. */
  reported(session: AgentSession, results: readonly unknown[]): Promise<(string | null)[]>;
  /** Resolves when there is room for more results again; null when there is. */
  room(): Promise<void> | null;
};
