/** A set whose members leave by themselves; time in milliseconds on any monotonic clock. */
export class ExpiringSet {
  readonly #lifetimeMs: number;
  readonly #untilMs = new Map<string, number>();

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  /** Adds a member, or keeps it for another lifetime from now. */
  add(member: string, nowMs: number): void {
    this.#untilMs.set(member, nowMs + this.#lifetimeMs);
  }

  has(member: string, nowMs: number): boolean {
    const untilMs = this.#untilMs.get(member);
    if (untilMs === undefined) return false;
    if (nowMs < untilMs) return true;
    this.#untilMs.delete(member);
    return false;
  }
}
