import type { CertificateRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import type { Severity } from '#shared/vocabulary.ts';

// What alerts about certificates do, from the contract's words alone and without regard to cost: each instant of a grid
// is looked at, and everything is computed anew from what was known by then.

export type Seen = { at: number; region: string; validFrom: number; validTo: number };
export type CertificateVersion = { at: number; rules: CertificateRules };
export type OracleCertificateAlert = {
  openedAt: number;
  resolvedAt: number | null;
  severities: Severity[];
  /** The old certificate came back after a good one. */
  flaps: boolean;
};

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** The alerts of a history, at every `gridMs` until `untilMs`. All instants must lie on the grid. */
export function oracleCertificates(
  seen: readonly Seen[],
  versions: readonly CertificateVersion[],
  /** When votes were dropped, and when the monitor was deleted. */
  { drops, deletedAt, intervalMs }: { drops: readonly number[]; deletedAt: number | null; intervalMs: number },
  untilMs: number,
  gridMs: number,
): OracleCertificateAlert[] {
  const alerts: OracleCertificateAlert[] = [];
  let lowestMs = Number.POSITIVE_INFINITY;
  const rulesAt = (at: number) => versions.findLast(version => version.at <= at)?.rules;
  const quietMs = Math.max(hourMs, 10 * intervalMs);
  for (let now = 0; now <= untilMs; now += gridMs) {
    const rules = rulesAt(now);
    if (rules === undefined) continue;
    const last = alerts.at(-1);
    const open = last?.resolvedAt === null ? last : undefined;
    if (open !== undefined && (!rules.enabled || now === deletedAt)) {
      open.resolvedAt = now;
      continue;
    }
    if (deletedAt !== null && now >= deletedAt) break;
    const fact = seen.find(({ at }) => at === now);
    const crossed = fact === undefined || !rules.enabled ? [] : thresholds(rules, fact).filter(isCrossed(fact));
    const severity = crossed.map(one => one.severity).sort()[0];
    const deepestMs = Math.min(...crossed.map(one => one.ms));
    const raise = (alert: OracleCertificateAlert) => {
      if (severity === undefined || rules.thresholds === null || deepestMs >= lowestMs) return;
      lowestMs = deepestMs;
      alert.severities.push([severity, alert.severities.at(-1) ?? severity].sort()[0] ?? severity);
    };
    if (open === undefined) {
      if (severity === undefined) continue;
      const resolvedAt = last?.resolvedAt ?? Number.NEGATIVE_INFINITY;
      const others = [...versions.map(version => version.at), ...drops].some(at => at >= resolvedAt && at <= now);
      if (last !== undefined && now - resolvedAt <= quietMs && !others) {
        last.resolvedAt = null;
        last.flaps = true;
        raise(last);
        continue;
      }
      alerts.push({ openedAt: now, resolvedAt: null, severities: [severity], flaps: false });
      lowestMs = deepestMs;
      continue;
    }
    raise(open);
    // The last result of each region since the alert opened, unless it is older than an hour or two intervals.
    const since = Math.max(open.openedAt, ...drops.filter(at => at <= now));
    const isAbove = (one: Seen) => !thresholds(rules, one).some(isCrossed(one));
    const sinceThen = seen.filter(({ at }) => at <= now && at >= since);
    const before = sinceThen.findLast(({ at, region }) => at < now && region === fact?.region);
    if (severity !== undefined && before !== undefined && isAbove(before)) open.flaps = true;
    const known = sinceThen.filter(({ at }) => at > now - Math.max(hourMs, 2 * intervalMs));
    const latest = [...Map.groupBy(known, ({ region }) => region).values()].flatMap(facts => facts.at(-1) ?? []);
    // One that came back must not be seen for an hour, or ten intervals.
    const lastBad = sinceThen.findLast(one => thresholds(rulesAt(one.at) ?? rules, one).some(isCrossed(one)));
    const waits = open.flaps && lastBad !== undefined && !isAbove(lastBad) && now - lastBad.at < quietMs;
    if (latest.length > 0 && latest.every(isAbove) && !waits) open.resolvedAt = now;
  }
  return alerts;
}

function thresholds(rules: CertificateRules, { validFrom, validTo }: Seen): { ms: number; severity: Severity }[] {
  if (rules.thresholds !== null)
    return rules.thresholds.map(({ days_left, severity }) => ({ ms: days_left * dayMs, severity }));
  return [{ ms: Math.min(14 * dayMs, (validTo - validFrom) / 3), severity: 'p3' }];
}

function isCrossed({ validTo, at }: Seen): (threshold: { ms: number }) => boolean {
  return ({ ms }) => validTo - at <= ms;
}
