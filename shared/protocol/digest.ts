import { createHash } from 'node:crypto';

/**
 * Digest of a set of (monitor, config_version), independent of order and kept up in constant time:
 * the exclusive or of the members' hashes. It finds differences; it is no defence against forgery.
 */
export class AssignmentDigest {
  #value = 0n;

  /** Adds a member, or removes it when it is in. */
  toggle(monitorId: string, configVersion: number): void {
    this.#value ^= createHash('sha256').update(`${monitorId}:${configVersion}`).digest().readBigUInt64BE(0);
  }

  toString(): string {
    return this.#value.toString(16).padStart(16, '0');
  }
}
