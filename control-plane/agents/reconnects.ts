import { secondMs } from '#shared/duration.ts';
import { Problem } from '../http/problem.ts';
import { IntakeBudget } from './intake-budget.ts';
import type { AdmittedAgent } from './store.ts';

/** More than an agent asks for whose connection breaks again and again: about 24 a minute. */
const limits = { perSecond: 0.5, burst: 30 };
const agentsMax = 10_000;

/**
 * How often each agent of a private region may connect: its project runs it, perhaps in a loop, and each connection
 * costs a lookup, a turn and all its assignments. Whoever has connected too often is refused by its header alone.
 * Time in milliseconds on a monotonic clock.
 */
export class Reconnects {
  readonly #budgets = new Map<string, IntakeBudget>();
  /** Until when, by header. Only those of agents that exist get in. */
  readonly #refused = new Map<string, number>();

  /** Throws `rate_limited` while the sender of the header has to wait. */
  requireCalm(header: string | undefined, nowMs: number): void {
    const until = header === undefined ? undefined : this.#refused.get(header);
    if (header === undefined || until === undefined) return;
    if (until > nowMs) throw tooOften(until - nowMs);
    this.#refused.delete(header);
  }

  /** Charges an agent with a connection. Throws `rate_limited` for one too many. */
  charge(agent: Pick<AdmittedAgent, 'id' | 'isPrivate'>, header: string | undefined, nowMs: number): void {
    if (!agent.isPrivate) return;
    const budget = this.#budgets.get(agent.id) ?? new IntakeBudget(limits, nowMs);
    const owedMs = budget.charge(1, nowMs);
    if (!this.#budgets.has(agent.id)) this.#forgetCalm(nowMs);
    this.#budgets.set(agent.id, budget);
    if (owedMs === 0) return;
    // A refused connection costs nothing, or the agent would never get in again.
    budget.charge(-1, nowMs);
    if (header !== undefined) this.#refused.set(header, nowMs + owedMs);
    throw tooOften(owedMs);
  }

  #forgetCalm(nowMs: number): void {
    if (this.#budgets.size < agentsMax) return;
    for (const [id, budget] of this.#budgets) if (budget.charge(0, nowMs) === 0) this.#budgets.delete(id);
    for (const [header, until] of this.#refused) if (until <= nowMs) this.#refused.delete(header);
  }
}

function tooOften(waitMs: number): Problem {
  const detail = 'the agent connects too often';
  return new Problem('rate_limited', { detail, retryAfter: Math.ceil(waitMs / secondMs) });
}
