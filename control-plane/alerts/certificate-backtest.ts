import { setImmediate } from 'node:timers/promises';
import { dayMs, hourMs } from '#shared/duration.ts';
import {
  advanceWatch,
  dropFacts,
  endWatch,
  followCertificate,
  followCertificateRules,
  lookBackMs,
  type Watched,
} from '../certificates/watch.ts';
import type { Sql } from '../db/sql.ts';
import { type CertificateRules, defaultAlertRules } from '../monitors/alert-rules.ts';
import type { MonitorPatch } from '../monitors/monitor.ts';
import { type CertificateWatch, voteLifetimeMs } from '../monitors/state.ts';
import type { StoredMonitor } from '../monitors/store.ts';
import type { StoredVersion } from '../verdicts/store.ts';
import { askedRules } from './backtest.ts';
import type { ReplayedAlert, RulesInForce } from './backtest-replay.ts';
import { findOpenCertificate, isExpiryPossible, listSeen, type SeenRow } from './certificate-backtest-store.ts';

type Range = { from: number; to: number };
type Replayed = { before: readonly ReplayedAlert[]; after: readonly ReplayedAlert[] };

const longestDefaultDays = 14;
const sliceMs = 6 * hourMs;

/**
 * The alerts about certificates in a range, by the rules of their time and by those of a change. Reads the results only
 * if one of them can have been at a threshold.
 */
export async function replayCertificates(
  sql: Sql,
  monitor: StoredMonitor,
  changes: MonitorPatch,
  versions: readonly StoredVersion[],
  rules: readonly RulesInForce[],
  { from, to }: Range,
): Promise<Replayed> {
  const open = await findOpenCertificate(sql, monitor.id, from);
  const asked = askedRules(changes, defaultAlertRules);
  const after = asked === null ? rules : [{ at: from, rules: asked }];
  const longestDays = [...rules, ...after].reduce(
    (most, { rules: { certificate } }) => Math.max(most, certificate.thresholds?.[0]?.days_left ?? 0),
    longestDefaultDays,
  );
  if (open === null && !(await isExpiryPossible(sql, monitor.id, { from, to }, to + longestDays * dayMs)))
    return { before: [], after: [] };
  const lookBack = versions.reduce((most, { rules }) => Math.max(most, lookBackMs(rules.intervalMs)), hourMs);
  const first = new CertificateReplay(versions, rules, { from, open, regions: null });
  const second = new CertificateReplay(versions, after, { from, open, regions: changes.regions ?? null });
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
  #rules: CertificateRules;
  #version: StoredVersion | undefined;
  readonly #from: number;
  readonly #regions: readonly string[] | null;
  readonly #waiting: (RulesInForce | StoredVersion)[];
  readonly #alerts: ReplayedAlert[];

  /** `regions`: of these alone; null: of all. */
  constructor(
    versions: readonly StoredVersion[],
    rules: readonly RulesInForce[],
    { from, open, regions }: { from: number; open: ReplayedAlert | null; regions: readonly string[] | null },
  ) {
    this.#from = from;
    this.#regions = regions;
    this.#rules = (rules[0]?.rules ?? defaultAlertRules).certificate;
    this.#version = versions.findLast(({ at }) => at <= from);
    this.#waiting = [...rules.slice(1), ...versions.filter(({ at }) => at > from)].sort((a, b) => a.at - b.at);
    this.#watch = open === null ? null : { at: from, crossedMs: Number.POSITIVE_INFINITY, facts: {} };
    this.#alerts = open === null ? [] : [{ ...open, resolved_at: null }];
  }

  apply({ region, config_version, received_at, fact }: SeenRow): void {
    if (this.#regions !== null && !this.#regions.includes(region)) return;
    if (fact.at < this.#from) {
      // What was seen before only tells when the open alert ends.
      if (this.#watch !== null) this.#watch = { ...this.#watch, facts: { ...this.#watch.facts, [region]: fact } };
      return;
    }
    this.#change(fact.at);
    const rules = this.#version?.rules;
    if (rules === undefined || !rules.enabled || rules.deleted || rules.configVersion !== config_version) return;
    if (received_at - fact.at >= voteLifetimeMs(rules.intervalMs, rules.timeoutMs)) return;
    this.#follow(followCertificate(this.#watch, this.#rules, { region, fact }, this.#withinMs));
  }

  finish(untilMs: number): readonly ReplayedAlert[] {
    this.#change(untilMs);
    this.#follow(advanceWatch(this.#watch, this.#rules, untilMs, this.#withinMs));
    return this.#alerts;
  }

  get #withinMs(): number {
    return lookBackMs(this.#version?.rules.intervalMs ?? 0);
  }

  #change(untilMs: number): void {
    for (let next = this.#waiting[0]; next !== undefined && next.at <= untilMs; next = this.#waiting[0]) {
      this.#waiting.shift();
      if ('dropsVotes' in next) {
        const apply = next.rules.deleted ? endWatch : dropFacts;
        if (next.dropsVotes) this.#follow(apply(this.#watch, this.#rules, next.at, this.#withinMs));
        this.#version = next;
      } else {
        const after = next.rules.certificate;
        this.#follow(followCertificateRules(this.#watch, this.#rules, after, next.at, this.#withinMs));
        this.#rules = after;
      }
    }
  }

  #follow({ watch, transitions }: Watched): void {
    this.#watch = watch;
    for (const { type, at } of transitions) {
      const last = this.#alerts.at(-1);
      if (type === 'open') this.#alerts.push({ kind: 'certificate', started_at: at, opened_at: at, resolved_at: null });
      else if (type === 'resolve' && last !== undefined) last.resolved_at = at;
    }
  }
}
