import type { FlowRule } from '#control-plane/analytics/flows/flow.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { countByRule, type SentEvent } from './funnel.ts';

/** An event whose session may name a user. */
export type SessionEvent = SentEvent & { id: string; session: string | null };

/** Who an event counts for, by brute force: its user, else the first that its session names, else its session. */
export function whoIs(events: readonly SessionEvent[], isLinked: boolean): (event: SessionEvent) => string | null {
  const named = events.filter(event => isLinked && event.user !== null);
  const firsts = new Map<string | null, SessionEvent>();
  for (const event of named.sort((left, right) => right.atMs - left.atMs || (left.id < right.id ? 1 : -1)))
    firsts.set(event.session, event);
  return ({ user, session }) => {
    if (user !== null || session === null) return user;
    return firsts.get(session)?.user ?? `session ${session}`;
  };
}

/** What reports of `view` and `buy` must say of so many days: users, but where it says events. */
export function countedBy(
  events: readonly SessionEvent[],
  isLinked: boolean,
  { startMs, dayCount, rules }: { startMs: number; dayCount: number; rules: readonly FlowRule[] },
) {
  const who = whoIs(events, isLinked);
  const dayOf = ({ atMs }: SessionEvent) => toTimestamp(atMs).slice(0, 10);
  const users = (some: readonly SessionEvent[]) => new Set(some.map(who).filter(name => name !== null));
  const days = Array.from({ length: dayCount }, (_, day) => toTimestamp(startMs + day * dayMs).slice(0, 10));
  const [views, buys] = ['view', 'buy'].map(name => events.filter(event => event.name === name));
  const onDay = (some: readonly SessionEvent[] = [], day: string | undefined) =>
    some.filter(event => dayOf(event) === day);
  const named = events.flatMap(event => {
    const user = who(event);
    return user === null ? [] : [{ ...event, user }];
  });
  const firsts = days.map((day, index) => {
    const before = users(views?.filter(event => days.indexOf(dayOf(event)) < index) ?? []);
    return users(onDay(views, day)).difference(before);
  });
  return {
    events: days.map(day => onDay(views, day).length),
    trend: [...days.map(day => users(onDay(views, day)).size), users(views ?? []).size],
    breakdown: ['pro', 'free'].map(plan => users(views?.filter(event => event.props?.plan === plan) ?? []).size),
    retention: firsts.map((cohort, index) =>
      [0, 1].map(later => cohort.intersection(users(onDay(buys, days[index + later]))).size),
    ),
    funnels: rules.map(rule => countByRule(named, rule, startMs, startMs + dayCount * dayMs)),
  };
}
