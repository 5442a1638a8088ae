import { TokenBucket } from '#shared/fairness/token-bucket.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { readDueRates } from './due-rate-store.ts';
import { byteLimits, dueLimits, messageLimits, resultLimits, SharedBudget } from './read-budget.ts';
import type { AdmittedAgent } from './store.ts';

/**
 * Milliseconds for which an agent's session is not to be read after a message of `bytes`, or `count` results more: a
 * flood waits in the sender's own buffers.
 */
export type ReadBudget = {
  message(bytes: number, nowMs: number): number;
  results(count: number, nowMs: number): number;
};

type RegionBudget = { messages: Map<string, TokenBucket>; bytes: SharedBudget; results: SharedBudget };

/**
 * The read budgets of this replica's agents. Those of a private region share one, by what is due there, since its
 * project may run any number of them; it lasts as long as the program, so that a new connection is no new budget. An
 * agent of a shared region, which is the operator's own, has one to itself.
 */
export class ReadBudgets {
  readonly #sql: Sql;
  readonly #regions = new Map<string, RegionBudget>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The budget of an agent's session. */
  async open(agent: AdmittedAgent, nowMs: number): Promise<ReadBudget> {
    if (!agent.isPrivate) return ownBudget(nowMs);
    const region = this.#regions.get(agent.region) ?? (await this.#learn(agent.region, nowMs));
    const messages = region.messages.get(agent.id) ?? new TokenBucket(messageLimits, nowMs);
    region.messages.set(agent.id, messages);
    return {
      message: (bytes, at) => Math.max(messages.charge(1, at), region.bytes.charge(agent.id, bytes, at)),
      results: (count, at) => region.results.charge(agent.id, count, at),
    };
  }

  /** Fits the budgets to the monitors that the regions have now. */
  async refresh(): Promise<void> {
    if (this.#regions.size === 0) return;
    for (const { region, rate } of await readDueRates(this.#sql, [...this.#regions.keys()])) {
      const budget = this.#regions.get(region);
      if (budget === undefined) continue;
      budget.results.limits = dueLimits(rate);
      budget.bytes.limits = byteLimits(dueLimits(rate));
    }
  }

  async #learn(region: string, nowMs: number): Promise<RegionBudget> {
    const [due] = await readDueRates(this.#sql, [region]);
    const limits = dueLimits(due?.rate ?? 0);
    const budget = this.#regions.get(region) ?? {
      messages: new Map(),
      bytes: new SharedBudget(byteLimits(limits), nowMs),
      results: new SharedBudget(limits, nowMs),
    };
    this.#regions.set(region, budget);
    return budget;
  }
}

function ownBudget(nowMs: number): ReadBudget {
  const messages = new TokenBucket(messageLimits, nowMs);
  const bytes = new TokenBucket(byteLimits(resultLimits), nowMs);
  const results = new TokenBucket(resultLimits, nowMs);
  return {
    message: (size, at) => Math.max(messages.charge(1, at), bytes.charge(size, at)),
    results: (count, at) => results.charge(count, at),
  };
}
