import { isIPv6 } from 'node:net';
import type { Addresses } from '#shared/network/resolver.ts';

/** Most addresses of one host that a check tries. */
const triedMax = 8;
/** How long an address has for itself before the next one is tried beside it (RFC 8305 §5). */
const aheadMs = 250;

/** The order in which the addresses of a host are tried, the families in turns, and when. */
export class Turns {
  readonly #start: (address: string) => void;
  readonly #delayMs: number;
  #waiting: readonly string[];
  #last: string | null = null;
  #left = triedMax;
  #isOpen: boolean;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Each turn begins with `start`. With little time left they follow each other sooner, so that each gets its own.
   * `onComplete` is called once later addresses are known.
   */
  constructor(found: Addresses, leftMs: number, start: (address: string) => void, onComplete: () => void) {
    this.#start = start;
    this.#delayMs = Math.min(aheadMs, leftMs / triedMax);
    this.#waiting = found.known;
    this.#isOpen = found.later !== null;
    void found.later?.then(addresses => {
      this.#isOpen = false;
      this.#waiting = [...this.#waiting, ...addresses];
      if (this.#isDue) this.next();
      onComplete();
    });
  }

  /** Whether all addresses have had their turn. */
  get isOver(): boolean {
    return this.#left === 0 || (this.#waiting.length === 0 && !this.#isOpen);
  }

  /** Begins the next turn now, or once there is an address for it. */
  next(): void {
    clearTimeout(this.#timer);
    if (this.#left === 0) return;
    const address = this.#take();
    this.#isDue = address === undefined;
    if (address === undefined) return;
    this.#left -= 1;
    this.#start(address);
    if (!this.isOver) this.#timer = setTimeout(() => this.next(), this.#delayMs);
  }

  /** No turn begins any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#left = 0;
  }

  #take(): string | undefined {
    const last = this.#last;
    const other = last === null ? -1 : this.#waiting.findIndex(address => isIPv6(address) !== isIPv6(last));
    const address = this.#waiting[Math.max(0, other)];
    this.#waiting = this.#waiting.filter(candidate => candidate !== address);
    this.#last = address ?? last;
    return address;
  }
}
