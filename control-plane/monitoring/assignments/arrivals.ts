import type { AgentSession } from '../agents/hooks.ts';

/** Readings that open nobody because others came meanwhile. */
const heldMax = 3;

/**
 * Sessions that have just come, and when they may be opened. After a start thousands come within seconds: a plan for
 * the first of them would give each the work of a hundred, and take it back. So the first are opened after a reading in
 * which nobody else came, or the fourth.
 */
export class Arrivals {
  #sessions: AgentSession[] = [];
  #came = 0;
  #before = 0;
  #held = 0;

  get size(): number {
    return this.#sessions.length;
  }

  /** True if it is the first since they were taken. */
  come(session: AgentSession): boolean {
    this.#came += 1;
    return this.#sessions.push(session) === 1;
  }

  take(): AgentSession[] {
    return this.#sessions.splice(0);
  }

  /** A reading begins, one at a time. */
  begin(): void {
    this.#before = this.#came;
  }

  /** Whether it may open agents, with this number open already. Whoever came meanwhile has another one to follow. */
  mayOpen(open: number): boolean {
    const isHeld = open === 0 && this.#came > this.#before && this.#held < heldMax;
    this.#held = isHeld ? this.#held + 1 : 0;
    return !isHeld;
  }
}
