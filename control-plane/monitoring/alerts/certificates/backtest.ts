import { setImmediate } from 'node:timers/promises';
import { dayMs, hourMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { crossedBy, factOf, hostsOf, type WithCertificates } from '../../certificates/certificate.ts';
import { domainEnd } from '../../certificates/domain.ts';
import {
  advanceWatch,
  dropFacts,
  endWatch,
  followCertificate,
  followCertificateRules,
  quietMs,
  type Watched,
} from '../../certificates/watch.ts';
import { defaultAlertRules, type ExpiryRules } from '../../monitors/alert-rules.ts';
import type { MonitorPatch } from '../../monitors/monitor.ts';
import type { StoredMonitor } from '../../monitors/row.ts';
import {
  type CertificateFact,
  type CertificateWatch,
  type ExpiryKind,
  expiryKindOf,
  voteLifetimeMs,
} from '../../monitors/state/state.ts';
import { votersOf } from '../../monitors/voters.ts';
import type { StoredVersion } from '../../verdicts/store.ts';
import { askedRules } from '../backtest/backtest.ts';
import type { ReplayedAlert, RulesInForce } from '../backtest/replay.ts';
import {
  findLastCertificate,
  isExpiryPossible,
  type LastCertificate,
  listSeen,
  type SeenRow,
} from './backtest-store.ts';

type Range = { from: number; to: number };
type Replayed = { before: readonly ReplayedAlert[]; after: readonly ReplayedAlert[] };

const longestDefaultDays = 14;
const sliceMs = 6 * hourMs;

/**
 * The alerts about certificates, or the domain, in a range, by the rules of their time and by those of a change. Reads
 * results with certificates only if one of them can have been at a threshold.
 */
export async function replayCertificates(
  sql: Sql,
  monitor: StoredMonitor,
  changes: MonitorPatch,
  versions: readonly StoredVersion[],
  rules: readonly RulesInForce[],
  { from, to }: Range,
): Promise<Replayed> {
  const lookBack = versions.reduce((most, { rules }) => Math.max(most, quietMs(rules.intervalMs)), hourMs);
  const kind = expiryKindOf({ regions: votersOf(monitor.settings) });
  const last = await findLastCertificate(sql, monitor.id, kind, from, lookBack);
  const asked = askedRules(changes, defaultAlertRules);
  const after = asked === null ? rules : [{ at: from, rules: asked }];
  const longestDays = [...rules, ...after].reduce(
    (most, { rules: { certificate } }) => Math.max(most, certificate.thresholds?.[0]?.days_left ?? 0),
    longestDefaultDays,
  );
  const isOpen = last !== null && last.ended_at === null;
  if (
    kind === 'certificate' &&
    !isOpen &&
    !(await isExpiryPossible(sql, monitor.id, { from, to }, to + longestDays * dayMs))
  )
    return { before: [], after: [] };
  const first = new CertificateReplay(kind, versions, rules, { from, last, regions: null });
  const second = new CertificateReplay(kind, versions, after, { from, last, regions: changes.regions ?? null });
  for (let start = from - lookBack; start < to; start += sliceMs) {
    for (const row of await listSeen(sql, monitor.id, start, Math.min(start + sliceMs, to))) {
      first.apply(row);
      second.apply(row);
    }
    await setImmediate();
  }
  return { before: first.finish(to), after: second.finish(to) };
}

/** Follows what stored results saw, in order, with the rules and versions of the time. */
class CertificateReplay {
  #watch: CertificateWatch | null;
  #rules: ExpiryRules;
  #version: StoredVersion | undefined;
  readonly #kind: ExpiryKind;
  readonly #from: number;
  readonly #regions: readonly string[] | null;
  readonly #waiting: (RulesInForce | StoredVersion)[];
  readonly #alerts: ReplayedAlert[];
  readonly #last: LastCertificate | null;

  /** `regions`: of these alone; null: of all. */
  constructor(
    kind: ExpiryKind,
    versions: readonly StoredVersion[],
    rules: readonly RulesInForce[],
    { from, last, regions }: { from: number; last: LastCertificate | null; regions: readonly string[] | null },
  ) {
    this.#kind = kind;
    this.#from = from;
    this.#regions = regions;
    this.#rules = (rules[0]?.rules ?? defaultAlertRules)[kind];
    this.#version = versions.findLast(({ at }) => at <= from);
    this.#waiting = [...rules.slice(1), ...versions.filter(({ at }) => at > from)].sort((a, b) => a.at - b.at);
    this.#last = last;
    this.#watch = last === null ? null : watchAt(from, last);
    this.#alerts = last === null || last.ended_at !== null ? [] : [{ ...last.alert, resolved_at: null }];
  }

  apply(row: SeenRow): void {
    const { region, config_version, received_at, at, failed } = row;
    if (this.#regions !== null && !this.#regions.includes(region)) return;
    if (at >= this.#from) this.#change(at);
    const fact = this.#factOf(row);
    if (fact === null) return;
    if (at < this.#from) {
      // What was seen before only tells when the open alert ends.
      if (this.#watch === null) return;
      const isBad = crossedBy(this.#rules.thresholds, fact).length > 0;
      const lastBad = isBad ? fact : this.#watch.lastBad;
      this.#watch = { ...this.#watch, lastBad, facts: { ...this.#watch.facts, [region]: fact } };
      return;
    }
    const rules = this.#version?.rules;
    if (rules === undefined || !rules.enabled || rules.deleted || rules.configVersion !== config_version) return;
    if (received_at - at >= voteLifetimeMs(rules.intervalMs, rules.timeoutMs)) return;
    this.#follow(
      followCertificate(
        this.#watch,
        this.#rules,
        { region, fact, ...(failed && this.#kind === 'certificate' ? { only: hostsOf(certificatesIn(row)) } : {}) },
        this.#intervalMs,
      ),
    );
  }

  finish(untilMs: number): readonly ReplayedAlert[] {
    this.#change(untilMs);
    this.#follow(advanceWatch(this.#watch, this.#rules, untilMs, this.#intervalMs));
    return this.#alerts;
  }

  get #intervalMs(): number {
    return this.#version?.rules.intervalMs ?? 0;
  }

  #factOf(row: SeenRow): CertificateFact | null {
    const { at, domain, error_code: code } = row;
    if (this.#kind === 'certificate') return factOf(certificatesIn(row), at, this.#rules.thresholds);
    return domainEnd({ domain, code }, at)?.fact ?? null;
  }

  #change(untilMs: number): void {
    for (let next = this.#waiting[0]; next !== undefined && next.at <= untilMs; next = this.#waiting[0]) {
      this.#waiting.shift();
      if ('dropsVotes' in next) {
        const apply = next.rules.deleted ? endWatch : dropFacts;
        if (next.dropsVotes) this.#follow(apply(this.#watch, this.#rules, next.at, this.#intervalMs));
        this.#version = next;
      } else {
        const after = next.rules[this.#kind];
        this.#follow(followCertificateRules(this.#watch, this.#rules, after, next.at, this.#intervalMs));
        this.#rules = after;
      }
    }
  }

  #follow({ watch, transitions }: Watched): void {
    this.#watch = watch;
    for (const { type, at } of transitions) {
      const last = this.#alerts.at(-1);
      if (type === 'open') this.#alerts.push({ kind: this.#kind, started_at: at, opened_at: at, resolved_at: null });
      else if (type === 'resolve' && last !== undefined) last.resolved_at = at;
      else if (type === 'reopen') this.#reopen(last);
    }
  }

  /** The one that goes on may have been resolved before the range. */
  #reopen(last: ReplayedAlert | undefined): void {
    if (last !== undefined) last.resolved_at = null;
    else if (this.#last !== null) this.#alerts.push({ ...this.#last.alert, resolved_at: null });
  }
}

function certificatesIn({ tls, client_certificate: own }: SeenRow): WithCertificates {
  return { tls, facts: own === null ? {} : { client_certificate: own } };
}

function watchAt(from: number, { ended_at, flapping_since }: LastCertificate): CertificateWatch {
  const nothing = { facts: {}, lastBad: null, answers: null };
  const at = ended_at ?? from;
  return { at, crossedMs: Number.POSITIVE_INFINITY, resolvedAt: ended_at, flappingSince: flapping_since, ...nothing };
}
