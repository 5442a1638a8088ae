import type { closeCodes } from '#shared/protocol/close-codes.ts';
import type { AgentMessage, ControlMessage } from '#shared/protocol/messages.ts';
import type { Vitals } from './heartbeat-store.ts';
import type { AdmittedAgent } from './store.ts';

/** A connected agent, as later folders see it. */
export type AgentSession = {
  readonly id: string;
  readonly agent: AdmittedAgent;
  /** Words of what the agent says that it can do. */
  readonly capabilities?: readonly string[];
  /** The assignments the agent reported in its hello. */
  readonly held: { revision: number; digest: string };
  /** True once the agent said hello and is known to the database, until the socket closes. */
  readonly ready: boolean;
  send(message: ControlMessage): void;
  close(reason: keyof typeof closeCodes): void;
  /** Vitals for the next heartbeat; counters start again. */
  takeVitals(): Vitals;
  /** Counters of vitals that could not be written belong to the next heartbeat. */
  putBackVitals(vitals: Vitals): void;
};

/** Gives connected agents their assignments. Implemented by `assignments/distribute.ts`. */
export type AssignmentHooks = {
  connected(session: AgentSession): void;
  disconnected(session: AgentSession): void;
  applied(session: AgentSession, revision: number, digest: string): void;
};

/** Takes the results that agents report. Implemented by `checks/recorder.ts`. */
export type ResultHooks = {
  /** Resolves when the results are committed or refused: for each its refusal, or null if it is stored. */
  recordReported(
    reporter: { agentId: string; region: string; isPrivate: boolean },
    results: readonly unknown[],
  ): Promise<(string | null)[]>;
  /** True when the agent's session should stop reading until `drained`. */
  full(agentId: string): boolean;
  drained(agentId: string): Promise<void>;
};

/** Takes the answers of agents to single attempts. Implemented by `probes/desk.ts`. */
export type ProbeHooks = {
  /** An answer that nobody waits for is dropped. */
  probed(session: AgentSession, answer: Extract<AgentMessage, { type: 'probed' }>): void;
};
