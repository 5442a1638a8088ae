/**
 * A committed change, named in the past tense. Facts are an outbox: a fact is written in the transaction of its
 * change, and dispatched to a handler after the commit, at least once, in a transaction of its own. `subject` is the id
 * of what changed.
 */
export type Fact =
  | {
      kind: 'alert.opened';
      projectId: string;
      subject: string;
      payload: { monitor_id: string; severity: string; title: string };
    }
  /** Opened during maintenance: nobody is notified. */
  | {
      kind: 'alert.held';
      projectId: string;
      subject: string;
      payload: { monitor_id: string; severity: string; title: string };
    }
  /** Flapping, reopened, or at a further threshold. */
  | {
      kind: 'alert.updated';
      projectId: string;
      subject: string;
      payload: { monitor_id: string; change: 'flapping' | 'reopened' | 'threshold' };
    }
  | { kind: 'alert.acknowledged'; projectId: string; subject: string; payload: { monitor_id: string } }
  /** `again`: it had been resolved before. */
  | { kind: 'alert.resolved'; projectId: string; subject: string; payload: { monitor_id: string; again?: true } }
  | { kind: 'alert.escalated'; projectId: string; subject: string; payload: { monitor_id: string } }
  | {
      kind: 'incident.opened' | 'incident.resolved' | 'incident.changed' | 'incident.deleted';
      projectId: string;
      subject: string;
      payload: { status_page_id: string };
    }
  /** The subject is the id of the update. */
  | {
      kind: 'incident.updated';
      projectId: string;
      subject: string;
      payload: { incident_id: string; status_page_id: string; state: string };
    }
  | {
      kind:
        | 'maintenance.scheduled'
        | 'maintenance.changed'
        | 'maintenance.started'
        | 'maintenance.ended'
        | 'maintenance.cancelled';
      projectId: string;
      subject: string;
      /** Null: it is about all of them. */
      payload: { occurrence_id: string | null };
    }
  /** The subject is the id of the update. */
  | {
      kind: 'maintenance.updated';
      projectId: string;
      subject: string;
      payload: { maintenance_id: string; occurrence_id: string; state: string };
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
      /** Null if the region is quarantined for all. */
      projectId: string | null;
      subject: string;
      payload: { monitors_down: number; monitors: number };
    }
  | {
      kind: 'notice.opened' | 'notice.closed';
      /** Null if it is about what all projects share and no project is the operator's. */
      projectId: string | null;
      subject: string;
      payload: { notice: string; about: string };
    }
  | { kind: 'region.returned'; projectId: string | null; subject: string; payload: Record<string, never> };

export type FactKind = Fact['kind'];

/** A fact in the outbox. `at` is the time of the change, `attempts` counts failed dispatches. */
export type StoredFact = Fact & { id: number; at: number; attempts: number };
