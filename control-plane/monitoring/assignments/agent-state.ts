import type { AgentSession } from '../agents/hooks.ts';
import { AssignmentSet } from './assignment-set.ts';
import { diffAssignments } from './diff.ts';
import { previouslyOwned } from './previous-owners.ts';

/** What this replica sent to one connected agent, and what it has yet to look at. */
export type AgentState = {
  assigned: AssignmentSet;
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
 * The state of an agent that comes with assignments of this digest: nothing is to be sent if they are the wanted ones;
 * what changed if they are those it had when it left, or before `gone` went lately; else everything.
 */
export function stateOf(
  { held, agent }: Pick<AgentSession, 'held' | 'agent'>,
  wanted: AssignmentSet,
  recentlyGone: AssignmentSet | null,
  gone: readonly string[],
): AgentState {
  const isHeld = (assigned: AssignmentSet | null) => assigned?.digest === held.digest;
  const former = () => {
    const owned = previouslyOwned(agent.id, wanted.held, gone);
    return owned === null ? null : AssignmentSet.of(owned);
  };
  const current = isHeld(wanted) ? wanted : isHeld(recentlyGone) ? recentlyGone : ([former()].find(isHeld) ?? null);
  const assigned = current ?? new AssignmentSet();
  const { put, drop } = diffAssignments(assigned.held, wanted.held);
  return {
    assigned,
    revision: held.revision,
    sending: Promise.resolve(),
    queued: 0,
    changedIds: new Set(current === wanted ? [] : [...put, ...drop]),
    sendSnapshot: current === null,
    mismatches: 0,
  };
}
