import type { Random } from './random.ts';

/** A time in which a monitor's target fails for some regions. */
export type Outage = { monitorId: string; regions: readonly string[]; from: number; until: number };

/** A time in which a monitor's target shows a certificate that expires soon. */
export type Expiry = Pick<Outage, 'monitorId' | 'from' | 'until'>;

/** What a check finds, and how long it takes. `probe`: the agent's own network is down. */
export type Finding = { lastsMs: number; failure: 'target' | 'probe' | null };

/** The services that are monitored. */
export class Targets {
  readonly #random: Random;
  readonly #outages: readonly Outage[];
  readonly #expiries: readonly Expiry[];

  constructor(random: Random, outages: readonly Outage[], expiries: readonly Expiry[]) {
    this.#random = random;
    this.#outages = outages;
    this.#expiries = expiries;
  }

  isDown(monitorId: string, region: string, at: number): boolean {
    return this.#outages.some(
      outage =>
        outage.monitorId === monitorId && outage.regions.includes(region) && at >= outage.from && at < outage.until,
    );
  }

  expiresSoon(monitorId: string, at: number): boolean {
    return this.#expiries.some(expiry => expiry.monitorId === monitorId && at >= expiry.from && at < expiry.until);
  }

  find(monitorId: string, region: string, at: number, timeoutMs: number): Finding {
    if (!this.isDown(monitorId, region, at)) return { lastsMs: this.#random.between(5, 300), failure: null };
    const lastsMs = this.#random.chance(0.4) ? timeoutMs : this.#random.between(2, 50);
    return { lastsMs, failure: 'target' };
  }
}
