/** What happened, in the past tense; each kind names its subject and carries what followers need. */
export type Fact =
  | {
      kind: 'alert.opened';
      projectId: string;
      subject: string;
      payload: { monitor_id: string; severity: string; title: string };
    }
  | { kind: 'alert.resolved'; projectId: string; subject: string; payload: { monitor_id: string } }
  | { kind: 'alert.escalated'; projectId: string; subject: string; payload: { monitor_id: string } }
  | {
      kind: 'monitor.flipped';
      projectId: string;
      subject: string;
      payload: { to: string; since: string };
    }
  | {
      kind: 'region.quarantined';
      projectId: null;
      subject: string;
      payload: { monitors_down: number; monitors: number };
    }
  | { kind: 'region.returned'; projectId: null; subject: string; payload: Record<string, never> };

export type FactKind = Fact['kind'];

/** A fact as it is stored and claimed. */
export type StoredFact = Fact & { id: number; at: number; attempts: number };
