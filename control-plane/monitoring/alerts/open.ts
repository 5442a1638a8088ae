import { hourMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { isSuppressed } from '../memberships/suppression-store.ts';
import { defaultAlertPolicy } from '../monitors/monitor.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import type { VerdictChange } from '../verdicts/timeline.ts';
import { type AlertSubject, findSubject } from './clock-store.ts';
import { reasonOf } from './reason.ts';
import { addFailingRegions, findFailure, insertAlert } from './store.ts';

/** `at`: when the rules for alerts were met. */
type Opening = { kind: 'down' | 'degraded'; startedAt: number; at: number; votes: VerdictChange['votes'] };

/**
 * Opens the monitor's alert in the transaction of the verdict and returns true. If one is unresolved already, adds the
 * failing regions to it and returns false.
 */
export async function openAlert(sql: Sql, state: MonitorState, change: VerdictChange, nowMs: number): Promise<boolean> {
  const subject = await findSubject(sql, state.monitorId);
  const { since: startedAt, votes } = change;
  const opening: Opening = { kind: 'down', startedAt, at: change.decision?.at ?? nowMs, votes };
  return (await openAlertOf(sql, state, opening, subject, nowMs)) !== null;
}

/** The id of the new alert, with the fact that announces it. Null if one of the kind is unresolved, see `openAlert`. */
export async function openAlertOf(
  sql: Sql,
  state: MonitorState,
  { kind, startedAt, at, votes }: Opening,
  subject: AlertSubject | null,
  nowMs: number,
): Promise<string | null> {
  const policy = subject?.policy ?? defaultAlertPolicy;
  const severity = kind === 'down' ? policy.severity : (subject?.rules.degraded?.severity ?? 'p3');
  const failing = Object.entries(votes).flatMap(([region, vote]) =>
    vote === 'down' || (kind === 'degraded' && vote === 'warn') ? [region] : [],
  );
  const failure = await findFailure(sql, state.monitorId, failing, kind, nowMs - 2 * state.rules.intervalMs - hourMs);
  const title = `${subject?.name ?? state.monitorId} is ${kind}`;
  const held = await isSuppressed(sql, state.monitorId, at);
  const id = await insertAlert(
    sql,
    {
      projectId: state.projectId,
      monitorId: state.monitorId,
      kind,
      title,
      severity,
      regionsFailing: failing,
      regions: state.rules.regions,
      quorum: state.rules.quorum,
      reason: reasonOf(failure, kind),
      labels: subject?.labels ?? {},
      rulesVersion: subject?.rulesVersion ?? 1,
      startedAt,
      openedAt: at,
      held,
    },
    nowMs,
  );
  if (id === null) {
    if (kind === 'down') await addFailingRegions(sql, state.monitorId, failing);
    return null;
  }
  const payload = { monitor_id: state.monitorId, severity, title };
  const fact = held ? 'alert.held' : 'alert.opened';
  await appendFact(sql, { kind: fact, projectId: state.projectId, subject: id, payload }, nowMs);
  return id;
}
