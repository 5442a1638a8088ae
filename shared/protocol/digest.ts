import { hash } from 'node:crypto';

/**
 * Digest of a set of (monitor, config_version): the exclusive or of the hashes of its members, so it is independent of
 * order and updated in constant time. It finds differences; it does not protect against forgery.
 */
export class AssignmentDigest {
  // In two halves and by hexadecimal digits: a buffer and a bigint for each member take four times as long.
  #high = 0;
  #low = 0;

  /** Adds a member, or removes it if it is in the set. */
  toggle(monitorId: string, configVersion: number): void {
    const digits = hash('sha256', `${monitorId}:${configVersion}`, 'hex');
    this.#high ^= Number.parseInt(digits.slice(0, 8), 16);
    this.#low ^= Number.parseInt(digits.slice(8, 16), 16);
  }

  /** 16 hexadecimal digits. */
  toString(): string {
    return [this.#high, this.#low].map(half => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
