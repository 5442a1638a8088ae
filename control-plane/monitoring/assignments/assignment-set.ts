import { AssignmentDigest } from '#shared/protocol/digest.ts';
import type { MonitorVersions } from './diff.ts';

/** The assignments sent to one agent, and their digest. */
export class AssignmentSet {
  readonly #sent = new Map<string, number>();
  readonly #digest = new AssignmentDigest();

  static of(versions: Iterable<readonly [id: string, version: number]>): AssignmentSet {
    const assigned = new AssignmentSet();
    for (const [id, version] of versions) assigned.put(id, version);
    return assigned;
  }

  get held(): MonitorVersions {
    return this.#sent;
  }

  /** Those of these monitors that the agent has. */
  among(ids: readonly string[]): MonitorVersions {
    return new Map(
      ids.flatMap(id => {
        const version = this.#sent.get(id);
        return version === undefined ? [] : [[id, version] as const];
      }),
    );
  }

  get digest(): string {
    return this.#digest.toString();
  }

  put(id: string, version: number): void {
    this.drop(id);
    this.#sent.set(id, version);
    this.#digest.toggle(id, version);
  }

  drop(id: string): void {
    const version = this.#sent.get(id);
    if (version === undefined) return;
    this.#sent.delete(id);
    this.#digest.toggle(id, version);
  }
}
