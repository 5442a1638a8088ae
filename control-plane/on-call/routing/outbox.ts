import type {
  ChannelProgress,
  GroupState,
  Member,
  PlannedMessage,
  PlannedStep,
  RouteProgress,
  RouteRules,
} from './group-state.ts';
import { quietEnd } from './quiet-hours.ts';

const never = Number.POSITIVE_INFINITY;

/** The quiet hours of a route for an alert; null if its severity is excepted. */
export function quietOf(route: RouteRules, { severity }: Pick<Member, 'severity'>): RouteRules['quiet'] {
  return route.exceptSeverities.includes(severity) ? null : route.quiet;
}

/** What is sent about a group in one look at it, and what each channel knows of it then. */
export class Outbox {
  readonly group: GroupState;
  readonly routes: readonly RouteRules[];
  readonly nowMs: number;
  readonly channels: Record<string, ChannelProgress>;
  readonly routeProgress: Record<string, RouteProgress>;
  readonly messages: PlannedMessage[] = [];
  readonly digests: { channelId: string; at: number }[] = [];
  sequence: number;

  constructor(group: GroupState, routes: readonly RouteRules[], nowMs: number) {
    this.group = group;
    this.routes = routes;
    this.nowMs = nowMs;
    this.channels = { ...group.progress.channels };
    this.routeProgress = { ...group.progress.routes };
    this.sequence = group.progress.sequence;
  }

  /** Alerts that a channel is about: those of a route of which a step that names it was made. */
  known(channelId: string, withResolved = false): Member[] {
    const ids = this.routes
      .filter(route => {
        const made = this.routeProgress[route.id]?.steps ?? 0;
        return route.steps.slice(0, made).some(step => step.channelIds.includes(channelId));
      })
      .map(route => route.id);
    const known = this.group.members.filter(member => member.routeIds.some(id => ids.includes(id)));
    // A route may have been changed or deleted since.
    return known.length > 0 || withResolved ? known : [...this.group.members];
  }

  /** When the quiet hours end that keep a channel from being notified; null if one of its routes lets it be. */
  quietUntil(channelId: string): number | null {
    const known = this.known(channelId);
    const ends = this.routes
      .filter(route => route.steps.some(step => step.channelIds.includes(channelId)))
      .flatMap(route =>
        known
          .filter(member => member.routeIds.includes(route.id))
          .map(member => quietEnd(quietOf(route, member), this.nowMs)),
      );
    if (ends.length === 0 || ends.includes(null)) return null;
    return Math.min(...ends.map(end => end ?? never));
  }

  toDigest(channelId: string, at: number): void {
    const before = this.channels[channelId];
    if (before?.digestAt !== undefined) return;
    const none = { at: this.nowMs, changed: 0, acknowledged: 0, updated: 0, told: false };
    this.channels[channelId] = { ...none, ...before, digestAt: at };
    this.digests.push({ channelId, at });
  }

  /** Whether the channel was notified that all alerts are resolved; it no longer was. */
  takeEnd(channelId: string): boolean {
    const { resolved = false, ...rest } = this.channels[channelId] ?? this.upToDate(undefined);
    this.channels[channelId] = rest;
    return resolved;
  }

  upToDate(before: ChannelProgress | undefined): ChannelProgress {
    const { number } = this.group;
    const { digestAt: _, ...rest } = before ?? { told: true };
    return { ...rest, at: this.nowMs, changed: number, acknowledged: number, updated: number, told: true };
  }

  send(
    channelId: string,
    step: PlannedStep,
    known: readonly Member[],
    about: readonly Member[] = known,
    [joined, recovered]: readonly [number, number] = [0, 0],
    origin: { routeId: string; stepIndex: number } | null = null,
  ): void {
    const before = this.channels[channelId];
    const { number } = this.group;
    if (before !== undefined)
      this.channels[channelId] = {
        ...before,
        ...(step === 'changed' ? { at: this.nowMs, changed: number } : {}),
        ...(step === 'acknowledged' ? { acknowledged: number } : {}),
        ...(step === 'updated' || step === 'opened' ? { updated: number } : {}),
      };
    this.sequence += 1;
    const ids = (members: readonly Member[]) => members.map(member => member.alertId);
    const { routeId = null, stepIndex = null } = origin ?? {};
    const message = { channelId, step, routeId, stepIndex, sequence: this.sequence, joined, recovered };
    this.messages.push({ ...message, about: ids(about), of: ids(known) });
  }
}
