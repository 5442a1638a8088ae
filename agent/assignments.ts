import { AssignmentDigest } from '#shared/protocol/digest.ts';
import type { Assignment, ControlMessage } from '#shared/protocol/messages.ts';
import { laneOf } from './lanes/lane.ts';

type AssignmentsMessage = Extract<ControlMessage, { type: 'assignments' }>;

/** Receives every change of the assignment set. */
export type AssignmentSink = { put(assignment: Assignment): void; drop(monitorId: string): void };

/** More than any agent can run. Further monitors are ignored, which the control plane sees by the digest. */
const monitorsMax = 200_000;

/**
 * The monitors this agent runs, by configuration version. Kept in memory only, because assignments contain secrets.
 * Every change is passed to the sink.
 */
export class Assignments {
  readonly #held = new Map<string, Assignment>();
  readonly #monitorsOfLane = new Map<string, number>();
  readonly #sink: AssignmentSink;
  readonly #onForget: (assignment: Assignment) => void;
  #digest = new AssignmentDigest();
  #revision = 0;
  #snapshotIds: Set<string> | null = null;

  /** `onForget` is passed each version that is run no more. */
  constructor(sink: AssignmentSink, onForget: (assignment: Assignment) => void = () => undefined) {
    this.#sink = sink;
    this.#onForget = onForget;
  }

  get count(): number {
    return this.#held.size;
  }

  /** The version of a monitor that is here; null if it is not. */
  versionOf(monitorId: string): number | null {
    return this.#held.get(monitorId)?.config_version ?? null;
  }

  /** How many lanes the monitors have. */
  get lanes(): number {
    return this.#monitorsOfLane.size;
  }

  /** Revision and digest of the current set, as `hello` and `applied` report them. */
  get state(): { revision: number; digest: string } {
    return { revision: this.#revision, digest: this.#digest.toString() };
  }

  /**
   * Applies one part of a change; true after the last part, which is answered with `applied`.
   * A snapshot removes missing monitors only at its end, so that the others keep their next slot.
   */
  apply(message: AssignmentsMessage): boolean {
    if (message.mode === 'snapshot') this.#snapshotIds ??= new Set();
    for (const monitorId of message.drop) this.#drop(monitorId);
    for (const assignment of message.put) this.#put(assignment);
    if (message.more) return false;
    this.#endSnapshot();
    this.#revision = message.revision;
    return true;
  }

  /** Call when the connection is lost: the rest of a snapshot will never arrive, so it must not remove anything. */
  discardPartialSnapshot(): void {
    this.#snapshotIds = null;
  }

  #put(assignment: Assignment): void {
    const id = assignment.monitor_id;
    const before = this.#held.get(id);
    if (before === undefined && this.#held.size >= monitorsMax) return;
    this.#snapshotIds?.add(id);
    if (before !== undefined) this.#forget(before);
    this.#digest.toggle(id, assignment.config_version);
    const lane = laneOf(assignment);
    this.#monitorsOfLane.set(lane, (this.#monitorsOfLane.get(lane) ?? 0) + 1);
    this.#held.set(id, assignment);
    this.#sink.put(assignment);
  }

  #drop(monitorId: string): void {
    const assignment = this.#held.get(monitorId);
    if (assignment === undefined) return;
    this.#forget(assignment);
    this.#held.delete(monitorId);
    this.#sink.drop(monitorId);
  }

  #forget(assignment: Assignment): void {
    this.#digest.toggle(assignment.monitor_id, assignment.config_version);
    const lane = laneOf(assignment);
    const left = (this.#monitorsOfLane.get(lane) ?? 0) - 1;
    if (left > 0) this.#monitorsOfLane.set(lane, left);
    else this.#monitorsOfLane.delete(lane);
    this.#onForget(assignment);
  }

  #endSnapshot(): void {
    const ids = this.#snapshotIds;
    this.#snapshotIds = null;
    if (ids === null) return;
    for (const monitorId of this.#held.keys()) if (!ids.has(monitorId)) this.#drop(monitorId);
  }
}
