import type { ClockHistory } from '#control-plane/monitoring/alerts/clocks.ts';
import type { VersionRules } from '#control-plane/monitoring/checks/intake/accept.ts';
import type { Accepted } from '#control-plane/monitoring/checks/intake/prepare.ts';
import type { AlertRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import type { Attendance } from '#control-plane/monitoring/monitors/heartbeats/away.ts';
import type { Beat } from '#control-plane/monitoring/monitors/heartbeats/beat.ts';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import { type QuarantineScope, Quarantines } from '#control-plane/monitoring/verdicts/quarantine.ts';
import type { StoredVersion } from '#control-plane/monitoring/verdicts/store.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import { Table } from './table.ts';

export type StoredResult = Accepted['result'];

/** A row of `monitors` with its versions, oldest first; `xid` is the transaction that wrote it. */
export type MonitorRow = {
  id: string;
  alertRules: AlertRules;
  /** What its agents must be able to do. */
  needs: string;
  configuredAt: number;
  xid: number;
  versions: readonly { stored: StoredVersion; rules: VersionRules }[];
};

export type AlertRow = {
  id: string;
  monitorId: string;
  kind: 'down' | 'degraded' | 'certificate';
  startedAt: number;
  openedAt: number;
  resolvedAt: number | null;
  flappingSince: number | null;
  reopenedAt: number | null;
  superseded: boolean;
  /** Its row is gone: results that came later say that there was no outage then. */
  isOrphan: boolean;
};

export type FactRow = { id: string; kind: string; alertId: string; done: boolean };
export type DeliveryRow = { id: string; factId: string; leasedUntil: number; sent: boolean };
export type LeaseRow = { holder: string; fence: number; expiresAt: number };
/** How far a stream is stored, and under which fence. */
export type PositionRow = { seq: number; fence: number; createdAt: string; movedAt: number; caughtUpAt: number };
/** A quarantine of a region. */
export type FaultRow = QuarantineScope & { since: number; until: number | null; judgeAt: number | null };
export type DirectoryEntry = {
  id: string;
  region: string;
  online: boolean;
  sessionId: string | null;
  /** The words of what it can do, parted by blanks. */
  able: string;
  lastSeenAt: number;
  disconnectedAt: number | null;
  xid: number;
};

/** The tables, keyed as in the schema. */
export class Rows {
  /** Undoes what the transaction under way changed. */
  readonly journal: (() => void)[] = [];
  readonly monitors = new Table<MonitorRow>(this.journal);
  readonly results = new Table<StoredResult>(this.journal);
  /** Scheduled first attempts by monitor and hour, as the roll-up counts them. */
  readonly tallies = new Table<number>(this.journal);
  readonly states = new Table<MonitorState>(this.journal);
  readonly changes = new Table<readonly VerdictChange[]>(this.journal);
  readonly alerts = new Table<AlertRow>(this.journal);
  readonly clocks = new Table<{ history: ClockHistory; dueAt: number | null }>(this.journal);
  readonly facts = new Table<FactRow>(this.journal);
  readonly deliveries = new Table<DeliveryRow>(this.journal);
  readonly agents = new Table<DirectoryEntry>(this.journal);
  readonly leases = new Table<LeaseRow>(this.journal);
  readonly faults = new Table<FaultRow>(this.journal);
  /** Votes that turned down, by monitor and region: the last one of each. */
  readonly voteDowns = new Table<{ region: string; monitorId: string; at: number }>(this.journal);
  /** The quarantined regions by which a monitor's votes were counted last. */
  readonly judgedUnder = new Table<ReadonlySet<string>>(this.journal);
  readonly positions = new Table<PositionRow>(this.journal);
  readonly beats = new Table<{ beat: Beat; dueAt: number | null }>(this.journal);
  /** When each front took signals. */
  readonly attendance = new Table<Attendance>(this.journal);
  /** Whether there is the unique index of unresolved alerts. */
  hasAlertIndex = true;
  /** The number of the transaction under way. */
  xid = 1;
  #ids = 0;

  /** The regions whose votes do not count now. */
  get quarantined(): ReadonlySet<string> {
    return this.#quarantines().of('proj_1');
  }

  /** When they last changed. */
  get quarantinedAt(): number {
    return this.#quarantines().changedAt(
      'proj_1',
      [...this.faults.values()].map(({ region }) => region),
    );
  }

  newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${this.#ids}`;
  }

  #quarantines(): Quarantines {
    return new Quarantines([...this.faults.values()]);
  }
}

export function keyOf(
  result: Pick<StoredResult, 'monitor_id' | 'scheduled_at' | 'region' | 'kind' | 'attempt'>,
): string {
  return `${result.monitor_id} ${result.scheduled_at} ${result.region} ${result.kind} ${result.attempt}`;
}
