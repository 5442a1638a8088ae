/** Monitors that agents have to look at again, by agent. Others than the wanted ones are not noted. */
export class Moves implements Iterable<[agentId: string, monitorIds: ReadonlySet<string>]> {
  readonly #byAgent = new Map<string, Set<string>>();
  readonly #isWanted: (agentId: string) => boolean;

  constructor(isWanted: (agentId: string) => boolean) {
    this.#isWanted = isWanted;
  }

  note(agentId: string | null, monitorId: string): void {
    if (agentId === null) return;
    const ids = this.#byAgent.get(agentId);
    if (ids !== undefined) ids.add(monitorId);
    else if (this.#isWanted(agentId)) this.#byAgent.set(agentId, new Set([monitorId]));
  }

  [Symbol.iterator](): Iterator<[agentId: string, monitorIds: ReadonlySet<string>]> {
    return this.#byAgent.entries();
  }
}
