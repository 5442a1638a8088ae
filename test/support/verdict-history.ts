import { noHistory } from '#control-plane/monitoring/alerts/clocks.ts';
import {
  type AlertStanding,
  advanceAlerts,
  type Followed,
  followRules,
  followVerdict,
  type Transition,
} from '#control-plane/monitoring/alerts/transitions.ts';
import { type AlertRules, alertRulesSchema } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { type Verdict, verdicts } from '#shared/vocabulary.ts';

export const freshStanding: AlertStanding = {
  history: noHistory,
  memory: { down: null, degraded: null, lastDown: null },
};

export const alertRules = (changes: object = {}): AlertRules => alertRulesSchema.parse(changes);

/** A row of a history: its verdict, when it began and when it was decided, in milliseconds. */
export type Judged = { verdict: Verdict; since: number; decidedAt: number };

/** `up 0, down 10, up 40<45`: verdicts with the second at which they begin, and were decided if that was later. */
export function historyFrom(text: string): Judged[] {
  return text.split(', ').map(part => {
    const [name = '', times = ''] = part.split(' ');
    const [since = 0, decidedAt = since] = times.split('<').map(Number);
    const verdict = verdicts.find(one => one === name);
    if (verdict === undefined) throw new Error(`no verdict: ${part}`);
    return { verdict, since: since * 1000, decidedAt: decidedAt * 1000 };
  });
}

/** What alerts do by a history and rules, until an instant; `later` are rules that replace the first ones. */
export function followHistory(
  history: readonly Judged[],
  rules: AlertRules,
  untilMs: number,
  later: readonly { at: number; rules: AlertRules }[] = [],
): readonly Transition[] {
  let inForce = rules;
  let followed: Followed = { standing: freshStanding, transitions: [] };
  const take = (next: Followed) => {
    followed = { standing: next.standing, transitions: [...followed.transitions, ...next.transitions] };
  };
  const events = [...history.map(row => ({ at: row.decidedAt, row })), ...later.map(one => ({ at: one.at, one }))];
  for (const event of events.toSorted((a, b) => a.at - b.at))
    if ('row' in event) take(followVerdict(followed.standing, inForce, event.row));
    else {
      take(followRules(followed.standing, inForce, event.one.rules, event.at));
      inForce = event.one.rules;
    }
  take(advanceAlerts(followed.standing, inForce, untilMs));
  return followed.transitions;
}

/** What a transition does, at which second. */
export function transitionText(transition: Transition): string {
  const at = `${transition.at / 1000}`;
  switch (transition.type) {
    case 'open':
      return `${at} ${transition.kind} opens of ${transition.startedAt / 1000}`;
    case 'resolve':
      if (transition.superseded) return `${at} ${transition.kind} is superseded`;
      return `${at} ${transition.kind} ends ${transition.resolvedAt / 1000}`;
    case 'flap':
      return `${at} flaps since ${transition.since / 1000}`;
    case 'reopen':
      return `${at} reopens`;
    default:
      return transition satisfies never;
  }
}
