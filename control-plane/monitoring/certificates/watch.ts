import { hourMs } from '#shared/duration.ts';
import { type Severity, severities } from '#shared/vocabulary.ts';
import type { ExpiryRules } from '../monitors/alert-rules.ts';
import type { CertificateAnswers, CertificateFact, CertificateWatch } from '../monitors/state/state.ts';
import { crossedBy } from './certificate.ts';

/** What happens to the alert, at an instant of the history. `region`: who saw the certificate. */
export type CertificateTransition =
  | { type: 'open'; at: number; severity: Severity; region: string }
  /** The old certificate is back: the alert that was resolved goes on. */
  | { type: 'reopen'; at: number; region: string }
  /** A region that saw a good certificate sees the old one again. */
  | { type: 'flap'; at: number; region: string }
  /** One more threshold is crossed; the severity rises to this one, if it is higher. */
  | { type: 'raise'; at: number; severity: Severity; region: string }
  | { type: 'resolve'; at: number };

/** `watch` is null while no alert is open, and none may go on. */
export type Watched = { watch: CertificateWatch | null; transitions: readonly CertificateTransition[] };

/** How long a region that says nothing more holds an alert open. */
export function lookBackMs(intervalMs: number): number {
  return Math.max(hourMs, 2 * intervalMs);
}

/** How long a certificate that alternated with a good one must not be seen before its alert resolves. */
export function quietMs(intervalMs: number): number {
  return Math.max(hourMs, 10 * intervalMs);
}

/** What a region saw. `only`: the check failed after it had come to these hosts; undefined: to all. */
export type SeenCertificate = { region: string; fact: CertificateFact; only?: readonly (string | undefined)[] };

/** Pure: applies what a region saw, after everything that was due before. */
export function followCertificate(
  start: CertificateWatch | null,
  rules: ExpiryRules,
  seen: SeenCertificate,
  intervalMs: number,
): Watched {
  const { region, fact } = seen;
  const advanced = advanceWatch(start, rules, fact.at - 1, intervalMs);
  const { watch } = advanced;
  const crossed = rules.enabled ? crossedBy(rules.thresholds, fact) : [];
  const at = Math.max(fact.at, watch?.at ?? fact.at);
  const severity = highest(crossed);
  if (watch === null) {
    if (severity === null) return advanced;
    const none = { resolvedAt: null, flappingSince: null, answers: null };
    const opened = { at, crossedMs: lowest(crossed), facts: { [region]: fact }, lastBad: fact, ...none };
    return then(advanced, { watch: opened, transitions: [{ type: 'open', at, severity, region }] });
  }
  const before = watch.facts[region];
  // Good certificates of some hosts say nothing of the host that was not reached.
  if (severity === null && before !== undefined && seen.only?.includes(before.host) === false) return advanced;
  const isBack = severity !== null && (watch.resolvedAt !== null || (before !== undefined && !isBad(before, rules)));
  // The default has one threshold, which differs from certificate to certificate.
  const isLower = rules.thresholds !== null && lowest(crossed) < watch.crossedMs;
  const next: CertificateWatch = {
    at,
    crossedMs: isLower ? lowest(crossed) : watch.crossedMs,
    facts: { ...watch.facts, [region]: fact },
    resolvedAt: isBack ? null : watch.resolvedAt,
    flappingSince: isBack ? (watch.flappingSince ?? at) : watch.flappingSince,
    lastBad: severity === null ? watch.lastBad : fact,
    answers: count(watch.answers, at, severity !== null),
  };
  const transitions: CertificateTransition[] = [];
  if (isBack && watch.resolvedAt !== null) transitions.push({ type: 'reopen', at, region });
  if (isBack && watch.flappingSince === null) transitions.push({ type: 'flap', at, region });
  if (isLower && severity !== null) transitions.push({ type: 'raise', at, severity, region });
  return then(then(advanced, { watch: next, transitions }), settle(next, rules, intervalMs));
}

/** Pure: applies new rules at an instant, after everything that was due before by the old ones. */
export function followCertificateRules(
  start: CertificateWatch | null,
  before: ExpiryRules,
  after: ExpiryRules,
  atMs: number,
  intervalMs: number,
): Watched {
  const advanced = unresolved(advanceWatch(start, before, atMs - 1, intervalMs));
  const { watch } = advanced;
  if (watch === null) return advanced;
  const at = Math.max(atMs, watch.at);
  if (!after.enabled) return then(advanced, { watch: null, transitions: [{ type: 'resolve', at }] });
  return then(advanced, unresolved(settle({ ...watch, at }, after, intervalMs)));
}

/** Pure: other checks begin at an instant; what regions saw until then says nothing about them. */
export function dropFacts(
  start: CertificateWatch | null,
  rules: ExpiryRules,
  atMs: number,
  intervalMs: number,
): Watched {
  const advanced = unresolved(advanceWatch(start, rules, atMs - 1, intervalMs));
  const { watch } = advanced;
  if (watch === null) return advanced;
  return { ...advanced, watch: { ...watch, at: Math.max(atMs, watch.at), facts: {}, lastBad: null, answers: null } };
}

/** Pure: the monitor is deleted at an instant. */
export function endWatch(
  start: CertificateWatch | null,
  rules: ExpiryRules,
  atMs: number,
  intervalMs: number,
): Watched {
  return followCertificateRules(start, rules, { ...rules, enabled: false }, atMs, intervalMs);
}

/** Pure: applies what time alone brings about until an instant, inclusive. */
export function advanceWatch(
  watch: CertificateWatch | null,
  rules: ExpiryRules,
  untilMs: number,
  intervalMs: number,
): Watched {
  const at = watch === null ? null : nextWatchDue(watch, rules, intervalMs);
  if (watch === null || at === null || at > untilMs) return { watch, transitions: [] };
  if (watch.resolvedAt !== null) return { watch: null, transitions: [] };
  const resolved = { watch: { ...watch, at, resolvedAt: at }, transitions: [{ type: 'resolve' as const, at }] };
  return then(resolved, advanceWatch(resolved.watch, rules, untilMs, intervalMs));
}

/**
 * When time alone resolves the alert: once the last bad certificate is so long ago that it does not count, if a good
 * one still does. Null if it does not. Of a resolved one: when it no longer goes on.
 */
export function nextWatchDue(
  { at, facts, resolvedAt, flappingSince, lastBad }: CertificateWatch,
  rules: ExpiryRules,
  intervalMs: number,
): number | null {
  if (resolvedAt !== null) return resolvedAt + quietMs(intervalMs);
  const withinMs = lookBackMs(intervalMs);
  const { bad = [], good = [] } = Object.groupBy(Object.values(facts), fact => (isBad(fact, rules) ? 'bad' : 'good'));
  const isAlternating = flappingSince !== null && lastBad !== null && isBad(lastBad, rules);
  const quietFrom = isAlternating ? lastBad.at + quietMs(intervalMs) : at;
  const due = Math.max(at, quietFrom, ...bad.map(fact => fact.at + withinMs));
  return good.some(fact => fact.at + withinMs > due) ? due : null;
}

/** The regions whose last certificate is at or under the first threshold. */
export function regionsCrossing({ facts }: CertificateWatch, rules: ExpiryRules): string[] {
  return Object.entries(facts).flatMap(([region, fact]) => (isBad(fact, rules) ? [region] : []));
}

function settle(watch: CertificateWatch, rules: ExpiryRules, intervalMs: number): Watched {
  return advanceWatch(watch, rules, watch.at, intervalMs);
}

/** An alert that is resolved does not go on after other rules or other checks began. */
function unresolved({ watch, transitions }: Watched): Watched {
  return { watch: watch?.resolvedAt === null ? watch : null, transitions };
}

function count(answers: CertificateAnswers | null, at: number, bad: boolean): CertificateAnswers | null {
  if (answers === null) return bad ? null : { since: at, bad: 0, total: 1 };
  return { since: answers.since, bad: answers.bad + (bad ? 1 : 0), total: answers.total + 1 };
}

function isBad(fact: CertificateFact, { thresholds }: ExpiryRules): boolean {
  return crossedBy(thresholds, fact).length > 0;
}

function lowest(crossed: readonly { leftMs: number }[]): number {
  return Math.min(...crossed.map(({ leftMs }) => leftMs));
}

function highest(crossed: readonly { severity: Severity }[]): Severity | null {
  return severities.find(severity => crossed.some(one => one.severity === severity)) ?? null;
}

function then(first: Watched, second: Watched): Watched {
  return { watch: second.watch, transitions: [...first.transitions, ...second.transitions] };
}
