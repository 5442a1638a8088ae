import type { TlsDetail } from '#shared/check-result.ts';
import { toTimestamp } from '#shared/clock.ts';
import { type CertificateTransition, regionsCrossing, type Watched } from '../certificates/watch.ts';
import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import { isHeld } from '../memberships/hold-store.ts';
import type { CertificateRules } from '../monitors/alert-rules.ts';
import type { MonitorState } from '../monitors/state.ts';
import { certificateReason } from './certificate-reason.ts';
import { noteCertificates, raiseSeverity } from './certificate-store.ts';
import { findSubject } from './clock-store.ts';
import type { AlertCounts } from './evaluate.ts';
import { resolveAlertOfKind } from './resolve.ts';
import { insertAlert } from './store.ts';

/**
 * Writes transitions with the facts that announce them, and which other regions come to see such a certificate. `state`
 * is the one before, `latest` the certificates of this batch by region.
 */
export async function applyCertificate(
  sql: Sql,
  state: MonitorState,
  rules: CertificateRules,
  { watch, transitions }: Watched,
  latest: ReadonlyMap<string, TlsDetail>,
  nowMs: number,
): Promise<AlertCounts> {
  const counts = { opened: 0, resolved: 0 };
  for (const transition of transitions)
    switch (transition.type) {
      case 'open':
        if (await open(sql, state, transition, latest.get(transition.region), nowMs)) counts.opened++;
        break;
      case 'raise':
        await raise(sql, state, transition, nowMs);
        break;
      case 'resolve':
        if (await resolve(sql, state, transition.at, nowMs)) counts.resolved++;
        break;
      default:
        transition satisfies never;
    }
  if (watch === null) return counts;
  const opened = transitions.find(({ type }) => type === 'open');
  const before = state.certificates?.watch ?? null;
  const known = opened?.type === 'open' ? [opened.region] : before === null ? [] : regionsCrossing(before, rules);
  const regions = regionsCrossing(watch, rules);
  const added = regions.find(region => !known.includes(region));
  if (added !== undefined) await noteRegion(sql, state, regions, { region: added, tls: latest.get(added) }, watch.at);
  return counts;
}

async function open(
  sql: Sql,
  state: MonitorState,
  { at, severity, region }: Extract<CertificateTransition, { type: 'open' }>,
  tls: TlsDetail | undefined,
  nowMs: number,
): Promise<boolean> {
  const { monitorId, projectId } = state;
  const subject = await findSubject(sql, monitorId);
  const held = await isHeld(sql, monitorId, at);
  const validTo = tls?.valid_to ?? toTimestamp(at);
  const title = `Certificate of ${subject?.name ?? monitorId} expires on ${validTo.slice(0, 10)}`;
  const id = await insertAlert(
    sql,
    {
      projectId,
      monitorId,
      kind: 'certificate',
      title,
      severity,
      regionsFailing: [region],
      regions: state.rules.regions,
      quorum: state.rules.quorum,
      reason: certificateReason(subject?.url ?? '', [region], tls, at),
      labels: subject?.labels ?? {},
      rulesVersion: subject?.rulesVersion ?? 1,
      startedAt: at,
      openedAt: at,
      held,
    },
    nowMs,
  );
  if (id === null) return false;
  const payload = { monitor_id: monitorId, severity, title };
  await appendFact(sql, { kind: held ? 'alert.held' : 'alert.opened', projectId, subject: id, payload }, nowMs);
  return true;
}

async function raise(
  sql: Sql,
  { monitorId, projectId }: MonitorState,
  { severity }: Extract<CertificateTransition, { type: 'raise' }>,
  nowMs: number,
): Promise<void> {
  const id = await raiseSeverity(sql, monitorId, severity);
  if (id === null) return;
  const payload = { monitor_id: monitorId, change: 'threshold' as const };
  await appendFact(sql, { kind: 'alert.updated', projectId, subject: id, payload }, nowMs);
}

/** An alert names every region that saw such a certificate while it was open. */
async function noteRegion(
  sql: Sql,
  { monitorId }: MonitorState,
  regions: readonly string[],
  { region, tls }: { region: string; tls: TlsDetail | undefined },
  atMs: number,
): Promise<void> {
  const subject = await findSubject(sql, monitorId);
  const reason = certificateReason(subject?.url ?? '', [region, ...regions.filter(one => one !== region)], tls, atMs);
  await noteCertificates(sql, monitorId, { regions, reason });
}

function resolve(sql: Sql, state: MonitorState, resolvedAt: number, nowMs: number): Promise<boolean> {
  const resolution = { kind: 'certificate' as const, resolvedAt, superseded: false, supersededBy: null };
  return resolveAlertOfKind(sql, { ...state, votes: {} }, resolution, nowMs);
}
