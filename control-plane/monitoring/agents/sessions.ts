import type { AgentSession } from './hooks.ts';

/** The agents connected to this replica, one session each. */
export class Sessions implements Iterable<AgentSession> {
  readonly #byAgent = new Map<string, AgentSession>();

  get size(): number {
    return this.#byAgent.size;
  }

  /** The session of an agent; null if it is not connected here. */
  get(agentId: string): AgentSession | null {
    return this.#byAgent.get(agentId) ?? null;
  }

  /** Registers a session. One that the agent had before is closed as replaced. */
  add(session: AgentSession): void {
    this.#byAgent.get(session.agent.id)?.close('replaced');
    this.#byAgent.set(session.agent.id, session);
  }

  /** Forgets a session, unless a newer one of its agent has taken its place. */
  remove(session: AgentSession): void {
    if (this.#byAgent.get(session.agent.id) === session) this.#byAgent.delete(session.agent.id);
  }

  [Symbol.iterator](): Iterator<AgentSession> {
    return this.#byAgent.values();
  }
}
