import { diffAssignments } from './diff.ts';
import { Share } from './share.ts';

/** What this replica sent to one connected agent, and what it has yet to look at. */
export type AgentState = {
  share: Share;
  revision: number;
  /** The end of the sends queued so far: one agent's messages go out in order. */
  sending: Promise<void>;
  /** Sends queued or under way. */
  queued: number;
  /** Monitors to compare with the plan. */
  changedIds: Set<string>;
  sendSnapshot: boolean;
  mismatches: number;
};

/**
 * The state of an agent that comes with assignments of this digest: nothing is to be sent if they are the wanted ones,
 * what changed since it left if they are those it had then, else everything.
 */
export function stateOf(held: { digest: string; revision: number }, wanted: Share, departed: Share | null): AgentState {
  const current = [wanted, departed].find(share => share?.digest === held.digest) ?? null;
  const share = current ?? new Share();
  const { put, drop } = diffAssignments(share.held, wanted.held);
  return {
    share,
    revision: held.revision,
    sending: Promise.resolve(),
    queued: 0,
    changedIds: new Set(current === wanted ? [] : [...put, ...drop]),
    sendSnapshot: current === null,
    mismatches: 0,
  };
}
