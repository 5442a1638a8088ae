import { minuteMs, secondMs } from '#shared/duration.ts';
import type { GroupState, Member, Plan, RouteRules } from './group-state.ts';
import { Outbox, quietOf } from './outbox.ts';
import { addActive, quietEnd } from './quiet-hours.ts';

/** Joins and recoveries of a group reach a channel so often at most. */
const changesEveryMs = minuteMs;
const remindersMax = 100;
/** While an alert is suppressed, its group looks this often whether it still is. */
const suppressedLookMs = 15 * secondMs;
const never = Number.POSITIVE_INFINITY;

/** Routes whose last step reached nobody, and channels of paging services. */
type Options = { failed?: readonly string[]; paging?: readonly string[] };

/**
 * Pure: what is to be sent about a group now, and when to look again. Called again with the progress it returns, it
 * sends nothing twice. `failed` are routes whose last step reached nobody: their next is due at once. `paging` are
 * channels that are notified of an end during quiet hours as well.
 */
export function advance(group: GroupState, routes: readonly RouteRules[], options: Options, nowMs: number): Plan {
  const run = new Run(group, routes, options, nowMs);
  const open = group.members.filter(member => member.resolvedAt === null);
  if (open.length === 0) return run.end();
  const firstAt = firstDueAt(group);
  if (nowMs < firstAt) return run.plan('open', firstAt);
  for (const route of routes) if (route.enabled) run.stepsOf(route, firstAt);
  run.changes();
  for (const route of routes) if (route.enabled) run.remind(route);
  if (open.some(member => member.suppressed === true)) run.lookAgain(nowMs + suppressedLookMs);
  return run.plan(open.every(member => member.acknowledgedAt !== null) ? 'acknowledged' : 'open', run.nextAt);
}

/** A group waits for more alerts before its first message; not for an alert of severity p1. */
function firstDueAt({ members, waitMs }: GroupState): number {
  const started = Math.min(...members.map(member => member.notifiedAt));
  const urgent = members.filter(({ severity }) => severity === 'p1').map(member => member.notifiedAt);
  return Math.min(started + waitMs, ...urgent);
}

function isWaiting({ resolvedAt, acknowledgedAt, suppressed }: Member): boolean {
  return resolvedAt === null && acknowledgedAt === null && suppressed !== true;
}

class Run extends Outbox {
  readonly failed: readonly string[];
  readonly paging: readonly string[];
  /** When the first message would have been due without maintenance. */
  readonly dueWithoutHolds: number;
  nextAt = never;

  constructor(group: GroupState, routes: readonly RouteRules[], options: Options, nowMs: number) {
    super(group, routes, nowMs);
    this.failed = options.failed ?? [];
    this.paging = options.paging ?? [];
    const members = group.members.map(member => ({
      ...member,
      notifiedAt: member.notifiedAt - (member.suppressedMs ?? 0),
    }));
    this.dueWithoutHolds = firstDueAt({ ...group, members });
  }

  plan(state: Plan['state'], nextAt: number): Plan {
    const progress = { sequence: this.sequence, channels: this.channels, routes: this.routeProgress };
    return { messages: this.messages, digests: this.digests, progress, state, nextAt };
  }

  /** All are resolved: whoever was notified is so once more. In quiet hours by the digest, but for paging services. */
  end(): Plan {
    const entries = Object.entries(this.channels);
    if (entries.length === 0) return this.plan('cancelled', never);
    for (const [channelId, progress] of entries) {
      if (!progress.told || progress.resolved === true) continue;
      const quietUntil = this.paging.includes(channelId) ? null : this.quietUntil(channelId);
      if (quietUntil !== null) this.toDigest(channelId, quietUntil);
      else this.send(channelId, 'resolved', this.known(channelId));
      this.channels[channelId] = { ...(this.channels[channelId] ?? progress), resolved: true };
    }
    const wasNotified = Object.values(this.channels).some(({ told }) => told);
    return this.plan(wasNotified ? 'resolved' : 'cancelled', never);
  }

  /** Makes the steps of a route that are due. In quiet hours the first one goes to the digest of its end. */
  stepsOf(route: RouteRules, firstAt: number): void {
    const waiting = this.#membersOf(route).filter(isWaiting);
    const [urgent] = waiting.filter(member => quietEnd(quietOf(route, member), this.nowMs) === null);
    if (urgent !== undefined) this.#leaveDigests(route);
    for (
      let index = this.routeProgress[route.id]?.steps ?? 0;
      index < route.steps.length && waiting.length > 0;
      index++
    ) {
      const step = route.steps[index];
      if (step === undefined) return;
      const until = Math.min(...waiting.map(member => quietEnd(quietOf(route, member), this.nowMs) ?? this.nowMs));
      if (index === 0 && until > this.nowMs) {
        for (const channelId of step.channelIds) this.toDigest(channelId, until);
        this.#made(route, index);
        continue;
      }
      const isForced =
        index > 0 && this.failed.includes(route.id) && index === this.group.progress.routes[route.id]?.steps;
      const reached = Math.min(...waiting.map(member => this.#reachedAt(route, member, step.afterMs, firstAt)));
      if (reached > this.nowMs && !(isForced && until <= this.nowMs)) {
        this.lookAgain(isForced ? until : reached);
        return;
      }
      this.#made(route, index);
      for (const channelId of step.channelIds) this.#step(channelId, route, index);
    }
  }

  /** What is new to channels that were notified: joins and recoveries once a minute, the rest at once. */
  changes(): void {
    for (const [channelId, progress] of Object.entries(this.channels)) {
      if (!progress.told || progress.digestAt !== undefined) continue;
      const known = this.known(channelId);
      const joined = known.filter(member => member.joinedNumber > progress.changed);
      const recovered = known.filter(member => (member.resolvedNumber ?? 0) > progress.changed);
      const updated = known.filter(
        member =>
          (member.updatedNumber ?? 0) > progress.updated && member.resolvedAt === null && member.suppressed !== true,
      );
      const open = known.filter(member => member.resolvedAt === null);
      const isTaken = open.length > 0 && open.every(member => member.acknowledgedAt !== null);
      const taken = isTaken ? open.filter(member => (member.acknowledgedNumber ?? 0) > progress.acknowledged) : [];
      if (joined.length + recovered.length + updated.length + taken.length === 0) continue;
      const quietUntil = this.quietUntil(channelId);
      if (quietUntil !== null && !(this.paging.includes(channelId) && taken.length > 0)) {
        this.toDigest(channelId, quietUntil);
        continue;
      }
      // Who was notified that all was over is notified as of a new alert: paging services open one again.
      if (updated.length > 0) this.send(channelId, this.takeEnd(channelId) ? 'opened' : 'updated', known, updated);
      if (taken.length > 0) this.send(channelId, 'acknowledged', known, taken);
      const dueAt = progress.at + changesEveryMs;
      if (joined.length + recovered.length === 0) continue;
      if (dueAt > this.nowMs) this.lookAgain(dueAt);
      else this.send(channelId, 'changed', known, [...joined, ...recovered], [joined.length, recovered.length]);
    }
  }

  /** Reminds the channels of the steps made, counted from the last of them or the last reminder. */
  remind(route: RouteRules): void {
    const progress = this.routeProgress[route.id];
    const waiting = this.#membersOf(route).filter(isWaiting);
    if (route.remindMs === null || progress === undefined || waiting.length === 0) return;
    if (progress.reminders >= remindersMax) return;
    const { remindMs } = route;
    const dueAt = Math.min(...waiting.map(member => addActive(quietOf(route, member), progress.at, remindMs)));
    if (dueAt > this.nowMs) return this.lookAgain(dueAt);
    this.routeProgress[route.id] = { ...progress, at: this.nowMs, reminders: progress.reminders + 1 };
    const channelIds = new Set(route.steps.slice(0, progress.steps).flatMap(step => step.channelIds));
    for (const channelId of channelIds)
      if (this.channels[channelId]?.told === true && this.channels[channelId].digestAt === undefined)
        this.send(channelId, 'reminder', this.known(channelId), waiting);
    this.remind(route);
  }

  #membersOf(route: RouteRules): Member[] {
    return this.group.members.filter(member => member.routeIds.includes(route.id));
  }

  #reachedAt(route: RouteRules, member: Member, afterMs: number, firstAt: number): number {
    return Math.max(firstAt, addActive(quietOf(route, member), this.#startOf(member, firstAt), afterMs));
  }

  /**
   * Steps count from the first message, for who joined later from then; the time in maintenance does not count. What is
   * sent in this look is the first message if none was before.
   */
  #startOf({ notifiedAt, suppressedMs = 0 }: Member, firstAt: number): number {
    const first = this.group.notifiedAt ?? (this.messages.length > 0 ? this.nowMs : firstAt);
    return Math.max(first, notifiedAt, this.dueWithoutHolds + suppressedMs);
  }

  #made(route: RouteRules, index: number): void {
    const before = this.routeProgress[route.id];
    this.routeProgress[route.id] = { steps: index + 1, at: this.nowMs, reminders: before?.reminders ?? 0 };
  }

  #step(channelId: string, route: RouteRules, index: number): void {
    const isNew = this.channels[channelId]?.told !== true;
    // Two routes may name one channel: it is notified once.
    const sent = this.messages.some(message => message.channelId === channelId);
    if (sent) return;
    const step = index === 0 ? 'opened' : 'escalated';
    if (index === 0 && !isNew) return;
    this.channels[channelId] = this.upToDate(this.channels[channelId]);
    this.send(channelId, step, this.known(channelId, true), undefined, [0, 0], {
      routeId: route.id,
      stepIndex: index,
    });
  }

  /** An alert must not wait any more: the channels that would get it in a digest are notified now. */
  #leaveDigests(route: RouteRules): void {
    const made = this.routeProgress[route.id]?.steps ?? 0;
    for (const channelId of new Set(route.steps.slice(0, made).flatMap(step => step.channelIds))) {
      const progress = this.channels[channelId];
      if (progress?.digestAt === undefined || progress.told) continue;
      this.channels[channelId] = this.upToDate(undefined);
      this.send(channelId, 'opened', this.known(channelId, true), undefined, [0, 0], {
        routeId: route.id,
        stepIndex: 0,
      });
    }
  }

  lookAgain(at: number): void {
    this.nextAt = Math.min(this.nextAt, at);
  }
}
