import type { Severity } from '#shared/vocabulary.ts';
import type { AlertView } from '../../monitoring/alerts/alert.ts';
import { failureText } from '../../publishing/incidents/promotion.ts';

/** Why a channel is notified. `escalated` is a later step of a route, `changed` are joins and recoveries in a group. */
export const noticeSteps = [
  'opened',
  'escalated',
  'reminder',
  'updated',
  'changed',
  'acknowledged',
  'resolved',
  'digest',
  'notice',
  'notice_closed',
  'test',
] as const;
export type NoticeStep = (typeof noticeSteps)[number];

/** An alert with what messages say of its monitor. */
export type NoticeMember = { alert: AlertView; monitor: { id: string; name: string; host: string } };

/** What members of a group have in common. */
export type GroupCause = { type: string; value: string; error_code: string | null };

/** Most members that a message names. */
export const namedMax = 20;

/**
 * Payload of a delivery to a channel: what there was to say when it was queued. `members` are the first of them, and of
 * a step about some of the group (`changed`) those that it is about.
 */
export type ChannelNotice = {
  step: NoticeStep;
  /** When it was queued, in milliseconds. */
  at: number;
  severity: Severity;
  project: { id: string; name: string };
  group: {
    id: string;
    cause: GroupCause | null;
    opened_at: string;
    resolved_at: string | null;
    /** How many alerts of the group this channel is about, and how many of them are not resolved. */
    alerts: number;
    unresolved: number;
  } | null;
  members: readonly NoticeMember[];
  /** Of `changed`: how many joined and recovered since the last message. */
  joined: number;
  recovered: number;
  /** Who acknowledged, as people read it. */
  actor: string | null;
  /** Of notices, their id: what ends one ends no other. */
  subject?: string;
  /** Of notices, and of digests the groups: one line each. */
  title: string | null;
  lines: readonly string[];
};

/** The notice for channels with `detail: brief`: only names, counts, times, the kind of failure and the status code. */
export function briefNotice(notice: ChannelNotice): ChannelNotice {
  const members = notice.members.map(({ alert, monitor }) => {
    const { error_code, status_code, region } = alert.reason;
    const reason = {
      summary: failureText(alert.reason),
      region,
      expected: null,
      actual: null,
      status_code,
      error_code,
      phase: null,
      host: null,
      step: null,
      diagnosis: null,
    };
    return { alert: { ...alert, reason, labels: {} }, monitor: { ...monitor, host: '' } };
  });
  const group = notice.group === null ? null : { ...notice.group, cause: briefCause(notice.group.cause) };
  return { ...notice, members, group };
}

function briefCause(cause: GroupCause | null): GroupCause | null {
  return cause === null ? null : { ...cause, value: '' };
}
