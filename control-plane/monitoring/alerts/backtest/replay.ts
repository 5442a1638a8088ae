import type { AlertKind } from '#shared/vocabulary.ts';
import type { AlertRules } from '../../monitors/alert-rules.ts';
import type { HistoryEvent } from '../../verdicts/history-event.ts';
import { advance, putChange, type Standing, type VerdictChange } from '../../verdicts/timeline.ts';
import {
  type AlertStanding,
  advanceAlerts,
  type Followed,
  followRules,
  followVerdict,
  type Transition,
} from '../transitions.ts';

/** Rules that are in force from an instant on. */
export type RulesInForce = { at: number; rules: AlertRules };

export type ReplayedAlert = {
  kind: AlertKind;
  started_at: number;
  opened_at: number;
  resolved_at: number | null;
};

/** Everything that a replay starts with. `inForce` is null if its verdict is found by the replay itself. */
export type ReplayStart = {
  standing: Standing;
  quarantined: ReadonlySet<string>;
  alerts: AlertStanding;
  open: readonly ReplayedAlert[];
  rules: readonly RulesInForce[];
  fromMs: number;
  inForce: VerdictChange | null;
};

/** Judges stored results again, in slices, from `fromMs` on; what came before only sets the votes. */
export class BacktestReplay {
  #standing: Standing;
  #quarantined: ReadonlySet<string>;
  #alerts: AlertStanding;
  readonly #start: ReplayStart;
  readonly #waiting: RulesInForce[];
  #rules: AlertRules;
  #begun = false;
  readonly #rows: VerdictChange[] = [];
  readonly #opened: ReplayedAlert[];

  constructor(start: ReplayStart) {
    this.#start = start;
    this.#standing = start.standing;
    this.#quarantined = start.quarantined;
    this.#alerts = start.alerts;
    const [first, ...later] = start.rules;
    if (first === undefined) throw new Error('a replay needs rules');
    this.#rules = first.rules;
    this.#waiting = later;
    this.#opened = start.open.map(alert => ({ ...alert }));
  }

  /** Events in order, after those of earlier calls. */
  apply(events: readonly HistoryEvent[]): void {
    for (const event of events) {
      if (!this.#begun && event.at >= this.#start.fromMs) this.#begin();
      if (this.#begun) this.#changeRules(event.at);
      const judged = event.apply(this.#standing, this.#quarantined);
      this.#standing = judged.standing;
      this.#quarantined = judged.quarantined ?? this.#quarantined;
      if (this.#begun) for (const change of judged.changes) this.#take(change);
    }
  }

  /** Ends the replay: what time alone brings about until `untilMs` belongs to it. */
  finish(untilMs: number): { rows: readonly VerdictChange[]; alerts: readonly ReplayedAlert[] } {
    if (!this.#begun) this.#begin();
    for (const change of advance(this.#standing, untilMs, this.#quarantined).changes) this.#take(change);
    return this.#end(untilMs);
  }

  /** Instead of events and their end: the rows that followed the one in force, as they were judged live. */
  finishRows(rows: readonly VerdictChange[], untilMs: number): ReturnType<BacktestReplay['finish']> {
    this.#begin();
    for (const row of rows) this.#take(row);
    return this.#end(untilMs);
  }

  #end(untilMs: number): ReturnType<BacktestReplay['finish']> {
    this.#changeRules(untilMs);
    this.#follow(advanceAlerts(this.#alerts, this.#rules, untilMs));
    return { rows: this.#rows, alerts: this.#opened };
  }

  #begin(): void {
    this.#begun = true;
    const { inForce, fromMs } = this.#start;
    this.#standing = advance(this.#standing, fromMs - 1, this.#quarantined).standing;
    if (inForce !== null) this.#standing = { ...this.#standing, verdict: inForce.verdict, since: inForce.since };
    const { verdict, since, rules } = this.#standing;
    const first: VerdictChange = { since, verdict, votes: {}, configVersion: rules.configVersion };
    this.#rows.push(first);
    if (inForce === null) this.#follow(followVerdict(this.#alerts, this.#rules, { verdict, since, decidedAt: fromMs }));
  }

  #take(change: VerdictChange): void {
    putChange(this.#rows, change);
    const since = this.#rows.at(-1)?.since ?? change.since;
    const decidedAt = change.decision?.at ?? change.since;
    this.#changeRules(decidedAt);
    this.#follow(followVerdict(this.#alerts, this.#rules, { verdict: change.verdict, since, decidedAt }));
  }

  #changeRules(untilMs: number): void {
    for (let next = this.#waiting[0]; next !== undefined && next.at <= untilMs; next = this.#waiting[0]) {
      this.#follow(followRules(this.#alerts, this.#rules, next.rules, next.at));
      this.#rules = next.rules;
      this.#waiting.shift();
    }
  }

  #follow({ standing, transitions }: Followed): void {
    this.#alerts = standing;
    for (const transition of transitions) this.#write(transition);
  }

  #write(transition: Transition): void {
    if (transition.type === 'flap') return;
    const kind = transition.type === 'reopen' ? 'down' : transition.kind;
    if (transition.type === 'open') {
      const { startedAt: started_at, at: opened_at } = transition;
      this.#opened.push({ kind, started_at, opened_at, resolved_at: null });
      return;
    }
    const last = this.#opened.findLast(alert => alert.kind === kind);
    if (last !== undefined) last.resolved_at = transition.type === 'reopen' ? null : transition.resolvedAt;
  }
}
