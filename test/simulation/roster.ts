import type { Beaten } from '#control-plane/monitoring/agents/heartbeat-store.ts';
import type { DirectoryEntry, Rows } from './rows.ts';

type Session = { agentId: string; sessionId: string };
type Arrival = Session & { able: string };

const graceMs = 10_000;
const deadMs = 45_000;

// The statements of `agents/store.ts` and `agents/heartbeat-store.ts`. Each returns whether every replica must hear.

export function markConnected(rows: Rows, { agentId, sessionId, able }: Arrival, nowMs: number): boolean {
  return change(rows, agentId, () => ({ online: true, sessionId, able, lastSeenAt: nowMs, disconnectedAt: null }));
}

export function markDisconnected(rows: Rows, session: Session, isClean: boolean, nowMs: number): boolean {
  const changed = change(rows, session.agentId, row =>
    row.sessionId === session.sessionId ? { disconnectedAt: nowMs, online: row.online && !isClean } : null,
  );
  return changed && isClean;
}

/** The agents whose session is still the given one, and whether one of them was thought gone. */
export function beat(
  rows: Rows,
  sessions: readonly Session[],
  nowMs: number,
): { ours: Beaten['id'][]; revived: boolean } {
  let revived = false;
  const ours = sessions.filter(({ agentId, sessionId }) => {
    const row = rows.agents.get(agentId);
    if (row?.sessionId !== sessionId) return false;
    if (!row.online) revived = true;
    const xid = row.online ? row.xid : rows.xid;
    rows.agents.put(agentId, { ...row, lastSeenAt: nowMs, online: true, disconnectedAt: null, xid });
    return true;
  });
  return { ours: ours.map(({ agentId }) => agentId), revived };
}

export function markGone(rows: Rows, nowMs: number): boolean {
  const gone = [...rows.agents.values()].filter(
    ({ online, disconnectedAt, lastSeenAt }) =>
      online && ((disconnectedAt !== null && disconnectedAt < nowMs - graceMs) || lastSeenAt < nowMs - deadMs),
  );
  for (const row of gone) change(rows, row.id, () => ({ online: false }));
  return gone.length > 0;
}

function change(
  rows: Rows,
  agentId: string,
  changes: (row: DirectoryEntry) => Partial<DirectoryEntry> | null,
): boolean {
  const row = rows.agents.get(agentId);
  const changed = row === undefined ? null : changes(row);
  if (row === undefined || changed === null) return false;
  rows.agents.put(agentId, { ...row, ...changed, xid: rows.xid });
  return true;
}
