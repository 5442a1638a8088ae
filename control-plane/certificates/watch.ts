import { hourMs } from '#shared/duration.ts';
import { type Severity, severities } from '#shared/vocabulary.ts';
import type { CertificateRules } from '../monitors/alert-rules.ts';
import type { CertificateFact, CertificateWatch } from '../monitors/state.ts';
import { crossedBy } from './certificate.ts';

/** What happens to the alert, at an instant of the history. `region`: who saw the certificate. */
export type CertificateTransition =
  | { type: 'open'; at: number; severity: Severity; region: string }
  /** One more threshold is crossed; the severity rises to this one, if it is higher. */
  | { type: 'raise'; at: number; severity: Severity; region: string }
  | { type: 'resolve'; at: number };

/** `watch` is null while no alert is open. */
export type Watched = { watch: CertificateWatch | null; transitions: readonly CertificateTransition[] };

/** How long a region that says nothing more holds an alert open. */
export function lookBackMs(intervalMs: number): number {
  return Math.max(hourMs, 2 * intervalMs);
}

/** Pure: applies what a region saw, after everything that was due before. */
export function followCertificate(
  start: CertificateWatch | null,
  rules: CertificateRules,
  seen: { region: string; fact: CertificateFact },
  withinMs: number,
): Watched {
  const { region, fact } = seen;
  const advanced = advanceWatch(start, rules, fact.at - 1, withinMs);
  const { watch } = advanced;
  const crossed = rules.enabled ? crossedBy(rules.thresholds, fact) : [];
  const at = Math.max(fact.at, watch?.at ?? fact.at);
  const severity = highest(crossed);
  if (watch === null) {
    if (severity === null) return advanced;
    const opened = { at, crossedMs: lowest(crossed), facts: { [region]: fact } };
    return then(advanced, { watch: opened, transitions: [{ type: 'open', at, severity, region }] });
  }
  const facts = { ...watch.facts, [region]: fact };
  // The default has one threshold, which differs from certificate to certificate.
  const isLower = rules.thresholds !== null && lowest(crossed) < watch.crossedMs;
  const next = { at, crossedMs: isLower ? lowest(crossed) : watch.crossedMs, facts };
  const raised: readonly CertificateTransition[] =
    isLower && severity !== null ? [{ type: 'raise', at, severity, region }] : [];
  return then(then(advanced, { watch: next, transitions: raised }), settle(next, rules, withinMs));
}

/** Pure: applies new rules at an instant, after everything that was due before by the old ones. */
export function followCertificateRules(
  start: CertificateWatch | null,
  before: CertificateRules,
  after: CertificateRules,
  atMs: number,
  withinMs: number,
): Watched {
  const advanced = advanceWatch(start, before, atMs - 1, withinMs);
  const { watch } = advanced;
  if (watch === null) return advanced;
  const at = Math.max(atMs, watch.at);
  if (!after.enabled) return then(advanced, { watch: null, transitions: [{ type: 'resolve', at }] });
  return then(advanced, settle({ ...watch, at }, after, withinMs));
}

/** Pure: other checks begin at an instant; what regions saw until then says nothing about them. */
export function dropFacts(
  start: CertificateWatch | null,
  rules: CertificateRules,
  atMs: number,
  withinMs: number,
): Watched {
  const advanced = advanceWatch(start, rules, atMs - 1, withinMs);
  const { watch } = advanced;
  return watch === null ? advanced : { ...advanced, watch: { ...watch, at: Math.max(atMs, watch.at), facts: {} } };
}

/** Pure: the monitor is deleted at an instant. */
export function endWatch(
  start: CertificateWatch | null,
  rules: CertificateRules,
  atMs: number,
  withinMs: number,
): Watched {
  return followCertificateRules(start, rules, { ...rules, enabled: false }, atMs, withinMs);
}

/** Pure: applies what time alone brings about until an instant, inclusive. */
export function advanceWatch(
  watch: CertificateWatch | null,
  rules: CertificateRules,
  untilMs: number,
  withinMs: number,
): Watched {
  const at = watch === null ? null : nextWatchDue(watch, rules, withinMs);
  if (at === null || at > untilMs) return { watch, transitions: [] };
  return { watch: null, transitions: [{ type: 'resolve', at }] };
}

/**
 * When time alone resolves the alert: once the last bad certificate is so long ago that it does not count, if a good
 * one still does. Null if it does not.
 */
export function nextWatchDue(
  { at, facts }: CertificateWatch,
  rules: CertificateRules,
  withinMs: number,
): number | null {
  const { bad = [], good = [] } = Object.groupBy(Object.values(facts), fact =>
    crossedBy(rules.thresholds, fact).length > 0 ? 'bad' : 'good',
  );
  const due = Math.max(at, ...bad.map(fact => fact.at + withinMs));
  return good.some(fact => fact.at + withinMs > due) ? due : null;
}

/** The regions whose last certificate is at or under the first threshold. */
export function regionsCrossing({ facts }: CertificateWatch, { thresholds }: CertificateRules): string[] {
  return Object.entries(facts).flatMap(([region, fact]) => (crossedBy(thresholds, fact).length > 0 ? [region] : []));
}

function settle(watch: CertificateWatch, rules: CertificateRules, withinMs: number): Watched {
  return advanceWatch(watch, rules, watch.at, withinMs);
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
