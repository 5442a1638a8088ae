import { secondMs } from '#shared/duration.ts';
import { TokenBucket } from '#shared/fairness/token-bucket.ts';
import { Problem } from '../../platform/http/problem.ts';
import { hashBearer } from '../../platform/secrets/bearer.ts';
import type { AdmittedAgent } from './store.ts';

/** More than an agent asks for whose connection breaks again and again: about 24 a minute. */
const limits = { perSecond: 0.5, capacity: 30 };
const agentsMax = 10_000;
const refusedMax = 10_000;

/**
 * How often each agent of a private region may connect: its project runs it, perhaps in a loop, and each connection
 * costs a lookup, a turn and all its assignments. Whoever has connected too often is refused by its secret alone.
 * Time in milliseconds on a monotonic clock.
 */
export class Reconnects {
  readonly #budgets = new Map<string, TokenBucket>();
  /** Until when, by the hash of the secret, the first refused first. Only those of agents that exist get in. */
  readonly #refused = new Map<string, number>();

  /** Throws `rate_limited` while the agent with the secret has to wait. */
  requireCalm(secret: string, nowMs: number): void {
    const until = this.#refused.get(keyOf(secret));
    if (until !== undefined && until > nowMs) throw tooOften(until - nowMs);
  }

  /** Secrets that are refused now or were until a moment ago. */
  get refusedCount(): number {
    return this.#refused.size;
  }

  /** Charges an agent with a connection. Throws `rate_limited` for one too many. */
  charge(agent: Pick<AdmittedAgent, 'id' | 'isPrivate'>, secret: string, nowMs: number): void {
    if (!agent.isPrivate) return;
    const budget = this.#budgets.get(agent.id) ?? new TokenBucket(limits, nowMs);
    const owedMs = budget.charge(1, nowMs);
    if (!this.#budgets.has(agent.id)) this.#forgetCalm(nowMs);
    this.#budgets.set(agent.id, budget);
    if (owedMs === 0) return;
    // A refused connection costs nothing, or the agent would never get in again.
    budget.charge(-1, nowMs);
    this.#refuse(keyOf(secret), nowMs + owedMs, nowMs);
    throw tooOften(owedMs);
  }

  #refuse(key: string, untilMs: number, nowMs: number): void {
    this.#refused.delete(key);
    this.#refused.set(key, untilMs);
    // All wait for about the same time, so those that have waited are in front.
    for (const [oldest, until] of this.#refused) {
      if (until > nowMs && this.#refused.size <= refusedMax) return;
      this.#refused.delete(oldest);
    }
  }

  #forgetCalm(nowMs: number): void {
    if (this.#budgets.size < agentsMax) return;
    for (const [id, budget] of this.#budgets) if (budget.charge(0, nowMs) === 0) this.#budgets.delete(id);
  }
}

function keyOf(secret: string): string {
  return hashBearer(secret).toString('base64');
}

function tooOften(waitMs: number): Problem {
  const detail = 'the agent connects too often';
  return new Problem('rate_limited', { detail, retryAfter: Math.ceil(waitMs / secondMs) });
}
