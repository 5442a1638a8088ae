import { createHash } from 'node:crypto';

/**
 * Digest of a set of (monitor, config_version): the exclusive or of the hashes of its members, so it is independent of
 * order and updated in constant time. It finds differences; it does not protect against forgery.
 */
export class AssignmentDigest {
  #value = 0n;

  /** Adds a member, or removes it if it is in the set. */
  toggle(monitorId: string, configVersion: number): void {
    this.#value ^= createHash('sha256').update(`${monitorId}:${configVersion}`).digest().readBigUInt64BE(0);
  }

  /** 16 hexadecimal digits. */
  toString(): string {
    return this.#value.toString(16).padStart(16, '0');
  }
}
