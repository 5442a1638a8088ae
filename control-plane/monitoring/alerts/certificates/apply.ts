import { toTimestamp } from '#shared/clock.ts';
import { minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { appendFact } from '../../../platform/facts/store.ts';
import type { ShownCertificate } from '../../certificates/certificate.ts';
import { type CertificateTransition, regionsCrossing, type Watched } from '../../certificates/watch.ts';
import { isSuppressed } from '../../memberships/suppression-store.ts';
import type { ExpiryRules } from '../../monitors/alert-rules.ts';
import { type CertificateWatch, expiryKindOf, type MonitorState, watchOf } from '../../monitors/state/state.ts';
import { findSubject } from '../clock-store.ts';
import type { AlertCounts } from '../evaluate.ts';
import { announceUpdate, reopenAlert } from '../reopen.ts';
import { resolveAlertOfKind } from '../resolve.ts';
import { markFlapping } from '../state-store.ts';
import { insertAlert } from '../store.ts';
import { reasonOf } from './reason.ts';
import { noteCertificates, raiseSeverity } from './store.ts';

/**
 * Writes transitions with the facts that announce them, which other regions come to see such a certificate, and how
 * many answers carry it while it alternates with a good one; of a domain the same. `state` is the one before; `latest`
 * the last certificate of this batch that is at or under a threshold, by region.
 */
export async function applyCertificate(
  sql: Sql,
  state: MonitorState,
  rules: ExpiryRules,
  { watch, transitions }: Watched,
  latest: ReadonlyMap<string, ShownCertificate>,
  nowMs: number,
): Promise<AlertCounts> {
  const counts = { opened: 0, resolved: 0 };
  const { monitorId } = state;
  const kind = expiryKindOf(state.rules);
  const isTold = transitions.some(({ type }) => type === 'reopen');
  for (const transition of transitions)
    switch (transition.type) {
      case 'open':
        if (await open(sql, state, transition, latest.get(transition.region), nowMs)) counts.opened++;
        break;
      case 'reopen':
        await reopenAlert(sql, state, kind, transition.at, nowMs);
        break;
      case 'flap': {
        const id = await markFlapping(sql, monitorId, kind, transition.at);
        if (id !== null && !isTold) await announceUpdate(sql, state, id, 'flapping', nowMs);
        break;
      }
      case 'raise': {
        const id = await raiseSeverity(sql, monitorId, kind, transition.severity);
        if (id !== null) await announceUpdate(sql, state, id, 'threshold', nowMs);
        break;
      }
      case 'resolve':
        if (await resolve(sql, state, transition.at, nowMs)) counts.resolved++;
        break;
      default:
        transition satisfies never;
    }
  if (watch?.resolvedAt === null) await noteSeen(sql, state, rules, { watch, transitions }, latest);
  return counts;
}

/** An alert names every region that saw such a certificate while it was open. */
async function noteSeen(
  sql: Sql,
  state: MonitorState,
  rules: ExpiryRules,
  { watch, transitions }: { watch: CertificateWatch } & Pick<Watched, 'transitions'>,
  latest: ReadonlyMap<string, ShownCertificate>,
): Promise<void> {
  const before = watchOf(state.certificates);
  const regions = regionsCrossing(watch, rules);
  const opened = transitions.find(({ type }) => type === 'open');
  const known = opened?.type === 'open' ? [opened.region] : before === null ? [] : regionsCrossing(before, rules);
  const added = regions.find(region => !known.includes(region));
  const seen = added ?? (isRecounted(before, watch) ? [...latest.keys()].at(-1) : undefined);
  if (seen === undefined) return;
  const subject = await findSubject(sql, state.monitorId);
  const named = [seen, ...regions.filter(region => region !== seen)];
  const kind = expiryKindOf(state.rules);
  const reason = reasonOf(kind, subject?.url ?? '', named, latest.get(seen), watch);
  await noteCertificates(sql, state.monitorId, kind, { regions: named, reason });
}

/** The share of answers is written when the certificate begins to alternate, and once a minute from then on. */
function isRecounted(before: CertificateWatch | null, watch: CertificateWatch): boolean {
  if (watch.flappingSince === null) return false;
  const minuteOf = (at: number) => Math.floor(at / minuteMs);
  return before?.flappingSince === null || minuteOf(before?.at ?? 0) !== minuteOf(watch.at);
}

async function open(
  sql: Sql,
  state: MonitorState,
  { at, severity, region }: Extract<CertificateTransition, { type: 'open' }>,
  certificate: ShownCertificate | undefined,
  nowMs: number,
): Promise<boolean> {
  const { monitorId, projectId } = state;
  const subject = await findSubject(sql, monitorId);
  const held = await isSuppressed(sql, monitorId, at);
  const validTo = certificate?.valid_to ?? toTimestamp(at);
  const kind = expiryKindOf(state.rules);
  const what = kind === 'domain' ? 'Domain' : 'Certificate';
  const title = `${what} of ${subject?.name ?? monitorId} expires on ${validTo.slice(0, 10)}`;
  const id = await insertAlert(
    sql,
    {
      projectId,
      monitorId,
      kind,
      title,
      severity,
      regionsFailing: [region],
      regions: state.rules.regions,
      quorum: state.rules.quorum,
      reason: reasonOf(kind, subject?.url ?? '', [region], certificate, { at }),
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

function resolve(sql: Sql, state: MonitorState, resolvedAt: number, nowMs: number): Promise<boolean> {
  const resolution = { kind: expiryKindOf(state.rules), resolvedAt, superseded: false, supersededBy: null };
  return resolveAlertOfKind(sql, { ...state, votes: {} }, resolution, nowMs);
}
