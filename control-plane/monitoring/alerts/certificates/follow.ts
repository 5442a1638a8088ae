import type { Sql } from '../../../platform/db/sql.ts';
import { attempt } from '../../../platform/failures/by-item.ts';
import { crossedBy, hostsOf, mostUrgent, type ShownCertificate } from '../../certificates/certificate.ts';
import { domainEnd } from '../../certificates/domain.ts';
import {
  advanceWatch,
  dropFacts,
  endWatch,
  followCertificate,
  followCertificateRules,
  nextWatchDue,
  type SeenCertificate,
  type Watched,
} from '../../certificates/watch.ts';
import type { VersionRules } from '../../checks/intake/accept.ts';
import type { NewResult } from '../../checks/storage/insert-store.ts';
import { type AlertRules, defaultAlertRules, type ExpiryRules } from '../../monitors/alert-rules.ts';
import {
  type CertificateState,
  certificatesOf,
  expiryKindOf,
  type MonitorState,
  voteLifetimeMs,
  watchOf,
} from '../../monitors/state/state.ts';
import { type CertificateChange, findState, writeCertificates } from '../../monitors/state/state-store.ts';
import type { AlertCounts } from '../evaluate.ts';
import { applyCertificate } from './apply.ts';

const none: AlertCounts = { opened: 0, resolved: 0 };

type Fresh = { result: NewResult; version: VersionRules };
type Seen = SeenCertificate & { certificate: ShownCertificate };

/**
 * Opens, raises and resolves alerts about certificates and domains by new results of locked states, in the transaction
 * of the results. Returns what changed by monitor; nearly always nothing.
 */
export async function followCertificates(
  sql: Sql,
  states: readonly MonitorState[],
  fresh: readonly Fresh[],
  nowMs: number,
): Promise<{ changed: Map<string, CertificateState | null>; counts: AlertCounts }> {
  const changed = new Map<string, CertificateState | null>();
  const writes: CertificateChange[] = [];
  const counts: AlertCounts = { opened: 0, resolved: 0 };
  const byMonitor = Map.groupBy(
    fresh.filter(
      ({ result: { tls, facts } }) =>
        tls?.valid_from !== undefined || facts?.client_certificate !== undefined || facts?.domain !== undefined,
    ),
    ({ result }) => result.monitor_id,
  );
  if (byMonitor.size === 0) return { changed, counts };
  const followOne = async (state: MonitorState) => {
    const followed = followSeen(state, byMonitor.get(state.monitorId) ?? [], nowMs);
    if (followed === null) return null;
    const { watched, latest } = followed;
    const rules = rulesOf(state);
    const applied = await applyCertificate(sql, state, rules, watched, latest, nowMs);
    return { write: changeOf(state, rules, watched), applied };
  };
  for (const state of states) {
    if (!byMonitor.has(state.monitorId)) continue;
    const item = { work: 'certificates', id: state.monitorId, projectId: state.projectId, nowMs } as const;
    const followed = await attempt(
      sql,
      item,
      () => followOne(state),
      () => null,
    );
    if (followed === null) continue;
    const { write, applied } = followed;
    writes.push(write);
    changed.set(state.monitorId, write.certificates);
    counts.opened += applied.opened;
    counts.resolved += applied.resolved;
  }
  await writeCertificates(sql, writes);
  return { changed, counts };
}

/**
 * Pure: what results of a monitor do to its alert about certificates; null if they change nothing. `latest`: the last
 * certificate of each region that is at or under a threshold.
 */
export function followSeen(
  state: MonitorState,
  fresh: readonly Fresh[],
  nowMs: number,
): { watched: Watched; latest: ReadonlyMap<string, ShownCertificate> } | null {
  const seen = timelyOf(state, fresh, nowMs);
  const rules = rulesOf(state);
  const watch = watchOf(state.certificates);
  if (watch === null && !seen.some(({ fact }) => crossedBy(rules.thresholds, fact).length > 0)) return null;
  let watched: Watched = { watch, transitions: [] };
  const latest = new Map<string, ShownCertificate>();
  for (const { certificate, ...one } of seen) {
    const { region, fact } = one;
    const next = followCertificate(watched.watch, rules, one, intervalOf(state));
    watched = { watch: next.watch, transitions: [...watched.transitions, ...next.transitions] };
    if (crossedBy(rules.thresholds, fact).length > 0) latest.set(region, certificate);
  }
  return watched.watch === watch ? null : { watched, latest };
}

/** Pure: what results of the current version say, in order of completion. As with votes, late ones say nothing. */
function timelyOf(state: MonitorState, fresh: readonly Fresh[], nowMs: number): Seen[] {
  const { rules, votes } = state;
  const { thresholds } = rulesOf(state);
  const isDomain = expiryKindOf(rules) === 'domain';
  if (rules.deleted || !rules.enabled) return [];
  return fresh
    .flatMap(({ result, version }): Seen[] => {
      const { region } = result;
      const at = Math.min(result.completed_at, result.receivedAt);
      const urgent = isDomain
        ? domainEnd({ domain: result.facts?.domain, code: result.error?.code ?? null }, at)
        : mostUrgent(result, at, thresholds);
      if (urgent === null || result.config_version !== rules.configVersion) return [];
      const isLate =
        at + voteLifetimeMs(version.intervalMs, version.timeoutMs) <= nowMs || at < (votes[region]?.judged_at ?? 0);
      const only = isDomain || result.error === null ? {} : { only: hostsOf(result) };
      return isLate ? [] : [{ region, ...urgent, ...only }];
    })
    .sort((left, right) => left.fact.at - right.fact.at);
}

/** Applies new rules to what is open, in the transaction of the change. `state` is locked. */
export function followNewCertificateRules(
  sql: Sql,
  state: MonitorState,
  rules: { before: AlertRules; after: AlertRules },
  nowMs: number,
): Promise<AlertCounts> {
  const kind = expiryKindOf(state.rules);
  const { [kind]: after } = rules.after;
  const watched = followCertificateRules(
    watchOf(state.certificates),
    rules.before[kind],
    after,
    nowMs,
    intervalOf(state),
  );
  return write(sql, state, after, watched, nowMs);
}

/** Other checks begin: what regions saw is dropped with their votes; a deletion resolves what is open. */
export async function followConfiguration(
  sql: Sql,
  state: MonitorState,
  { dropsVotes, isDeleted }: { dropsVotes: boolean; isDeleted: boolean },
  nowMs: number,
): Promise<AlertCounts> {
  if (!dropsVotes || state.certificates === null) return none;
  // New rules of the same change may have been written before.
  const current = await findState(sql, state.monitorId);
  const watch = watchOf(current?.certificates ?? null);
  if (current === null || watch === null) return none;
  const rules = rulesOf(current);
  const apply = isDeleted ? endWatch : dropFacts;
  return write(sql, current, rules, apply(watch, rules, nowMs, intervalOf(current)), nowMs);
}

/** Applies what time alone brought about until `dueMs`. `state` is locked. */
export function followCertificateTime(
  sql: Sql,
  state: MonitorState,
  dueMs: number,
  nowMs: number,
): Promise<AlertCounts> {
  const rules = rulesOf(state);
  const watched = advanceWatch(watchOf(state.certificates), rules, dueMs, intervalOf(state));
  return write(sql, state, rules, watched, nowMs);
}

async function write(
  sql: Sql,
  state: MonitorState,
  rules: ExpiryRules,
  watched: Watched,
  nowMs: number,
): Promise<AlertCounts> {
  await writeCertificates(sql, [changeOf(state, rules, watched)]);
  return applyCertificate(sql, state, rules, watched, new Map(), nowMs);
}

function changeOf(state: MonitorState, rules: ExpiryRules, { watch }: Watched): CertificateChange {
  const kind = expiryKindOf(state.rules);
  // Lookups alone move an alert about a domain.
  const due = watch === null || kind === 'domain' ? null : nextWatchDue(watch, rules, intervalOf(state));
  return { monitorId: state.monitorId, certificates: certificatesOf(rules, watch, kind), dueAt: due };
}

function rulesOf({ certificates, rules }: MonitorState): ExpiryRules {
  const kind = expiryKindOf(rules);
  const stored = certificates?.rules ?? defaultAlertRules[kind];
  // The version before knows the rules of certificates alone, and may have written those.
  return kind === 'domain' && stored.thresholds === null
    ? { enabled: stored.enabled, thresholds: defaultAlertRules.domain.thresholds }
    : stored;
}

function intervalOf({ rules }: MonitorState): number {
  return rules.intervalMs;
}
