import { AssignmentDigest } from '#shared/protocol/digest.ts';
import type { MonitorVersions } from './diff.ts';

/** The assignments sent to one agent, and their digest. */
export class Share {
  readonly #sent = new Map<string, number>();
  readonly #digest = new AssignmentDigest();

  static of(versions: MonitorVersions): Share {
    const share = new Share();
    for (const [id, version] of versions) share.put(id, version);
    return share;
  }

  get held(): MonitorVersions {
    return this.#sent;
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
