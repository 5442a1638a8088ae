import { type AddressRange, isInRanges, plainAddress } from '#shared/network/guard.ts';
import { limitKey } from './caller-address.ts';

/** Most connections of all peers, and of each address that is in no exempt range. */
export type ConnectionLimits = { all: number; perAddress: number; exempt: readonly AddressRange[] };

/** The open connections of a server. A peer that reads slowly keeps its own, but not those of others. */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** The address of each connection; null if it may have any number. */
  readonly #keys = new Map<object, string | null>();
  readonly #counts = new Map<string, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** False if there is one too many already. */
  admit(connection: object, remoteAddress: string): boolean {
    const { all, perAddress, exempt } = this.#limits;
    if (this.#keys.size >= all) return false;
    const address = plainAddress(remoteAddress);
    const key = isInRanges(address, exempt) ? null : limitKey(address);
    if (key !== null) {
      const count = this.#counts.get(key) ?? 0;
      if (count >= perAddress) return false;
      this.#counts.set(key, count + 1);
    }
    this.#keys.set(connection, key);
    return true;
  }

  /** It is closed, or counted elsewhere. Idempotent. */
  release(connection: object): void {
    const key = this.#keys.get(connection);
    this.#keys.delete(connection);
    if (key === undefined || key === null) return;
    const count = (this.#counts.get(key) ?? 1) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
