import type { Severity } from '#shared/vocabulary.ts';
import type { QuietHours } from './quiet-hours.ts';

// What decisions about a group are made of: plain values. Instants are milliseconds since the epoch.

/**
 * An alert of a group. Each `…Number` is the place of that event among all of the group, so that a channel knows what
 * it has not been notified of.
 */
export type Member = {
  alertId: string;
  routeIds: readonly string[];
  severity: Severity;
  /** Its clock, which stood still for `suppressedMs`. */
  notifiedAt: number;
  suppressedMs?: number;
  joinedNumber: number;
  acknowledgedAt: number | null;
  acknowledgedNumber: number | null;
  updatedNumber: number | null;
  resolvedAt: number | null;
  resolvedNumber: number | null;
  /** In maintenance: until that is over nobody is notified of it, but of its end. */
  suppressed?: boolean;
};

/** A route as it is now. A deleted one is missing. */
export type RouteRules = {
  id: string;
  enabled: boolean;
  steps: readonly { afterMs: number; channelIds: readonly string[] }[];
  remindMs: number | null;
  quiet: QuietHours | null;
  exceptSeverities: readonly Severity[];
};

/** What a channel was notified of, as the numbers of events. Its names are stored. */
export type ChannelProgress = {
  /** Of the last message about joins and recoveries, or the first. */
  at: number;
  changed: number;
  acknowledged: number;
  updated: number;
  /** Set while the group waits for the digest of the channel's quiet hours. */
  digestAt?: number;
  /** Whether it was notified of the group at all. */
  told: boolean;
  resolved?: true;
};

/** How far a route has come: the steps made, when the last was, and the reminders sent. */
export type RouteProgress = { steps: number; at: number; reminders: number };

export type Progress = {
  sequence: number;
  channels: Readonly<Record<string, ChannelProgress>>;
  routes: Readonly<Record<string, RouteProgress>>;
  /** What it sends next was pending in a backup: it is put on hold. */
  restored?: true;
};

export const noProgress: Progress = { sequence: 0, channels: {}, routes: {} };

export type GroupState = {
  members: readonly Member[];
  progress: Progress;
  /** When its first message was queued; null before. */
  notifiedAt: number | null;
  /** How long the first message waits for further alerts. */
  waitMs: number;
  /** Number of the last event. */
  number: number;
};

export type PlannedStep = 'opened' | 'escalated' | 'reminder' | 'updated' | 'changed' | 'acknowledged' | 'resolved';

/** A message to one channel. `about` are the alerts that it names, `of` all that the channel knows of. */
export type PlannedMessage = {
  channelId: string;
  step: PlannedStep;
  routeId: string | null;
  /** With the route, what tells a step from others: its index. */
  stepIndex: number | null;
  sequence: number;
  about: readonly string[];
  of: readonly string[];
  joined: number;
  recovered: number;
};

export type Plan = {
  messages: readonly PlannedMessage[];
  /** Channels whose digest has to name the group. */
  digests: readonly { channelId: string; at: number }[];
  progress: Progress;
  state: 'open' | 'acknowledged' | 'resolved' | 'cancelled';
  /** When to look again at the latest; infinity: only after an event. */
  nextAt: number;
};
