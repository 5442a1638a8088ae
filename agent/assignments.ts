import { AssignmentDigest } from '#shared/protocol/digest.ts';
import type { Assignment, ControlMessage } from '#shared/protocol/messages.ts';

type AssignmentsMessage = Extract<ControlMessage, { type: 'assignments' }>;

/** Who acts on a change of what the agent runs. */
export type AssignmentSink = { put(assignment: Assignment): void; drop(monitorId: string): void };

/** More than any agent can run; beyond it the control plane's digest differs and says so. */
const heldMax = 200_000;

/** What this agent runs, in memory only: assignments carry secrets. Changes go on to the schedule. */
export class Assignments {
  readonly #held = new Map<string, number>();
  readonly #sink: AssignmentSink;
  #digest = new AssignmentDigest();
  #revision = 0;
  #snapshot: Set<string> | null = null;

  constructor(sink: AssignmentSink) {
    this.#sink = sink;
  }

  get count(): number {
    return this.#held.size;
  }

  get held(): { revision: number; digest: string } {
    return { revision: this.#revision, digest: this.#digest.toString() };
  }

  /**
   * Takes one part of a change over; true when it was the last one and is to be answered with `applied`.
   * A snapshot drops what it leaves out only at its end, so that what stays keeps its place in the schedule.
   */
  apply(message: AssignmentsMessage): boolean {
    if (message.mode === 'snapshot') this.#snapshot ??= new Set();
    for (const monitorId of message.drop) this.#drop(monitorId);
    for (const assignment of message.put) this.#put(assignment);
    if (message.more) return false;
    this.#endSnapshot();
    this.#revision = message.revision;
    return true;
  }

  /** A connection broke off: the rest of a snapshot will not come, and nothing may be dropped for it. */
  forgetPart(): void {
    this.#snapshot = null;
  }

  #put(assignment: Assignment): void {
    const id = assignment.monitor_id;
    const version = this.#held.get(id);
    if (version === undefined && this.#held.size >= heldMax) return;
    this.#snapshot?.add(id);
    if (version !== undefined) this.#digest.toggle(id, version);
    this.#digest.toggle(id, assignment.config_version);
    this.#held.set(id, assignment.config_version);
    this.#sink.put(assignment);
  }

  #drop(monitorId: string): void {
    const version = this.#held.get(monitorId);
    if (version === undefined) return;
    this.#digest.toggle(monitorId, version);
    this.#held.delete(monitorId);
    this.#sink.drop(monitorId);
  }

  #endSnapshot(): void {
    const named = this.#snapshot;
    this.#snapshot = null;
    if (named === null) return;
    for (const monitorId of this.#held.keys()) if (!named.has(monitorId)) this.#drop(monitorId);
  }
}
