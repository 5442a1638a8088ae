import { advance } from '#control-plane/on-call/routing/advance.ts';
import {
  type GroupState,
  type Member,
  noProgress,
  type PlannedMessage,
  type RouteRules,
} from '#control-plane/on-call/routing/group-state.ts';
import { type QuietHours, weekdays } from '#control-plane/on-call/routing/quiet-hours.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';

export const groupStart = Date.UTC(2026, 10, 22, 12);
export const night: QuietHours = { timezone: 'UTC', days: [...weekdays], from: '22:00', to: '07:00' };

/** A route that notifies a chat at once, and a pager after ten minutes. */
export function routeRules(changes: Partial<RouteRules> = {}): RouteRules {
  return {
    id: 'r',
    enabled: true,
    steps: [
      { afterMs: 0, channelIds: ['chat'] },
      { afterMs: 10 * minuteMs, channelIds: ['pager'] },
    ],
    remindMs: null,
    quiet: null,
    exceptSeverities: ['p1'],
    ...changes,
  };
}

export function groupMember(
  alertId: string,
  notifiedAt: number,
  joinedNumber: number,
  changes: Partial<Member> = {},
): Member {
  return {
    alertId,
    routeIds: ['r'],
    severity: 'p2',
    notifiedAt,
    joinedNumber,
    acknowledgedAt: null,
    acknowledgedNumber: null,
    updatedNumber: null,
    resolvedAt: null,
    resolvedNumber: null,
    ...changes,
  };
}

/** Something that happens to a group, with the number it gets there. */
export type GroupEvent = { at: number; change(members: Member[], number: number): Member[] };

export const join = (at: number, id: string, changes: Partial<Member> = {}): GroupEvent => ({
  at,
  change: (members, number) => [...members, groupMember(id, at, number, changes)],
});
export const change = (at: number, id: string, of: (number: number) => Partial<Member>): GroupEvent => ({
  at,
  change: (members, number) => members.map(one => (one.alertId === id ? { ...one, ...of(number) } : one)),
});
export const resolve = (at: number, id: string) =>
  change(at, id, number => ({ resolvedAt: at, resolvedNumber: number }));
export const acknowledge = (at: number, id: string) =>
  change(at, id, number => ({ acknowledgedAt: at, acknowledgedNumber: number }));
/** Something else is said of an alert, such as a higher severity. */
export const update = (at: number, id: string, changes: Partial<Member> = {}) =>
  change(at, id, number => ({ updatedNumber: number, ...changes }));

type Sent = PlannedMessage & { at: number };
type Options = { failed?: string[]; paging?: string[]; waitMs?: number };

/** Runs a group through its events as the timer does: at each event, and when the plan says so. */
export function runGroup(
  events: readonly GroupEvent[],
  routes: readonly RouteRules[] | ((atMs: number) => readonly RouteRules[]),
  untilMs: number,
  options: Options = {},
) {
  const sent: Sent[] = [];
  const digests: { channelId: string; at: number }[] = [];
  const { waitMs = 5 * secondMs } = options;
  let group: GroupState = { members: [], progress: noProgress, notifiedAt: null, waitMs, number: 0 };
  let state = 'open';
  let dueAt = Number.POSITIVE_INFINITY;
  const rest = events.toSorted((a, b) => a.at - b.at);
  for (let round = 0; round < 10_000; round++) {
    const now = Math.min(rest[0]?.at ?? Number.POSITIVE_INFINITY, dueAt, nextDigest(group));
    if (now > untilMs) break;
    group = withDigests(group, now);
    while (rest[0] !== undefined && rest[0].at <= now) {
      const number = group.number + 1;
      group = { ...group, members: rest.shift()?.change([...group.members], number) ?? [], number };
    }
    const rules = typeof routes === 'function' ? routes(now) : routes;
    const plan = advance(group, rules, options, now);
    const notifiedAt = group.notifiedAt ?? (plan.messages.length > 0 ? now : null);
    group = { ...group, progress: plan.progress, notifiedAt };
    sent.push(...plan.messages.map(message => ({ ...message, at: now })));
    digests.push(...plan.digests);
    state = plan.state;
    dueAt = plan.nextAt;
    const again = advance(group, rules, { ...options, failed: [] }, now);
    if (again.messages.length + again.digests.length > 0) throw new Error('something is sent twice');
    if (dueAt <= now) throw new Error('it would never rest');
  }
  const shown = sent.map(({ at, channelId, step, about }) => [
    (at - groupStart) / secondMs,
    channelId,
    step,
    about.length,
  ]);
  return { sent, shown, digests, state };
}

function nextDigest({ progress }: GroupState): number {
  return Math.min(...Object.values(progress.channels).map(({ digestAt }) => digestAt ?? Number.POSITIVE_INFINITY));
}

/** The digest that was due by now is a message: its channels know of the group, which is looked at once more. */
function withDigests(group: GroupState, nowMs: number): GroupState {
  if (nextDigest(group) > nowMs) return group;
  const { number } = group;
  const isOver = group.members.every(member => member.resolvedAt !== null);
  const channels = Object.entries(group.progress.channels).map(([id, { digestAt, ...progress }]) => {
    if (digestAt === undefined) return [id, progress];
    if (digestAt > nowMs) return [id, { ...progress, digestAt }];
    const { resolved: _, ...before } = progress;
    const known = { ...before, at: nowMs, changed: number, acknowledged: number, updated: number, told: true };
    return [id, isOver ? { ...known, resolved: true as const } : known];
  });
  const progress = { ...group.progress, channels: Object.fromEntries(channels) };
  return { ...group, progress, notifiedAt: group.notifiedAt ?? nowMs };
}
