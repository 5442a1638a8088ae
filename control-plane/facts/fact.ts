/** What happened, in the past tense; each kind names its subject and carries what followers need. */
export type Fact =
  | {
      kind: 'alert.opened';
      projectId: string;
      subject: string;
      payload: { monitor_id: string; severity: string; title: string };
    }
  | { kind: 'alert.acknowledged'; projectId: string; subject: string; payload: { monitor_id: string } }
  | { kind: 'alert.resolved'; projectId: string; subject: string; payload: { monitor_id: string } }
  | { kind: 'alert.escalated'; projectId: string; subject: string; payload: { monitor_id: string } }
  | {
      kind: 'incident.opened' | 'incident.resolved' | 'incident.changed' | 'incident.deleted';
      projectId: string;
      subject: string;
      payload: { status_page_id: string };
    }
  /** The subject is the update. */
  | {
      kind: 'incident.updated';
      projectId: string;
      subject: string;
      payload: { incident_id: string; status_page_id: string; state: string };
    }
  | { kind: 'component.changed'; projectId: string; subject: string; payload: { status_page_id: string } }
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
