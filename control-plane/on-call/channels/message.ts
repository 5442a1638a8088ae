import { describeFailure } from '#shared/checks/failure-words.ts';
import type { Severity } from '#shared/vocabulary.ts';
import { plainLine } from '../../delivery/transports/text.ts';
import type { Tone } from '../../platform/design/tones.ts';
import { utcText } from '../../publishing/incidents/utc-text.ts';
import { briefNotice, type ChannelNotice, type NoticeMember, type NoticeStep, namedMax } from './notice.ts';

/** A notice in words, not yet escaped or cut for a service. */
export type Message = {
  step: NoticeStep;
  severity: Severity;
  tone: Tone;
  title: string;
  lines: readonly string[];
  /** Where to look. */
  url: string;
  /** A page with a button that acknowledges; null where there is nothing to acknowledge. */
  acknowledgeUrl: string | null;
  /** What the messages of a group, or of a notice, have in common. */
  threadKey: string;
  /** Already without details if the channel asks for that. */
  notice: ChannelNotice;
};

/** Where links of messages lead. */
export type MessageLinks = { baseUrl: string; acknowledgeUrl: string | null };

/** Puts a notice into words. */
export function messageOf(full: ChannelNotice, detail: 'full' | 'brief', links: MessageLinks): Message {
  const notice = detail === 'brief' ? briefNotice(full) : full;
  const [only] = notice.members;
  const isAlone = notice.group?.alerts === 1 && only !== undefined;
  const path = isAlone ? `/#/alerts/${only.alert.id}` : '/#/alerts';
  return {
    step: notice.step,
    severity: notice.severity,
    tone: toneOf(notice),
    title: plainLine(titleOf(notice)),
    lines: linesOf(notice)
      .map(plainLine)
      .filter(line => line !== ''),
    url: `${links.baseUrl}${path}`,
    acknowledgeUrl: isOver(notice) ? null : links.acknowledgeUrl,
    threadKey: notice.group?.id ?? notice.subject ?? notice.project.id,
    notice,
  };
}

function isOver({ step, group }: ChannelNotice): boolean {
  return (
    ['acknowledged', 'resolved', 'digest', 'notice', 'notice_closed', 'test'].includes(step) || group?.unresolved === 0
  );
}

function toneOf({ step, severity }: ChannelNotice): Tone {
  if (step === 'resolved' || step === 'notice_closed') return 'ok';
  if (step === 'test' || step === 'digest' || step === 'acknowledged') return 'note';
  if (step === 'notice') return 'slow';
  return severity === 'p1' ? 'down' : severity === 'p2' ? 'part' : 'slow';
}

function titleOf(notice: ChannelNotice): string {
  const subject = subjectOf(notice);
  switch (notice.step) {
    case 'opened':
      return subject;
    case 'escalated':
      return `Not acknowledged yet: ${subject}`;
    case 'reminder':
      return `Reminder: ${subject}`;
    case 'updated':
      return `Updated: ${subject}`;
    case 'changed':
      return `${changesText(notice)}: ${subject}`;
    case 'acknowledged':
      return `Acknowledged: ${subject}`;
    case 'resolved':
      return `Resolved: ${subject.replace(/ is (down|degraded)$/, '')}`;
    case 'test':
      return `Test: ${notice.title ?? 'this channel works'}`;
    case 'digest':
    case 'notice':
      return notice.title ?? '';
    case 'notice_closed':
      return `Resolved: ${notice.title ?? ''}`;
    default:
      return notice.step satisfies never;
  }
}

function subjectOf({ group, members, step }: ChannelNotice): string {
  const [only] = members;
  if (group === null || only === undefined) return 'alerts';
  if (group.alerts === 1) return only.alert.title;
  const count = step === 'resolved' || group.unresolved === group.alerts ? group.alerts : group.unresolved;
  const of = count === group.alerts ? '' : ` of ${group.alerts}`;
  return `${count}${of} alerts${causeText(group.cause)}`;
}

function causeText(cause: NonNullable<ChannelNotice['group']>['cause']): string {
  if (cause === null) return '';
  const code = cause.error_code === null ? '' : `: ${describeFailure(cause.error_code)}`;
  return `${placeText(cause)}${code}`;
}

function placeText({ type, value }: { type: string; value: string }): string {
  if (value === '') return ` with the same ${type}`;
  if (type === 'certificate') return ` with the same certificate ${value}`;
  return `${type === 'region' ? ' in' : ' at'} ${value}`;
}

function changesText({ joined, recovered }: ChannelNotice): string {
  const parts = [...(joined > 0 ? [`${joined} more`] : []), ...(recovered > 0 ? [`${recovered} recovered`] : [])];
  return parts.join(', ');
}

function linesOf(notice: ChannelNotice): string[] {
  const { group, members, lines } = notice;
  const [only] = members;
  if (group === null || only === undefined) return [...lines];
  const actor = notice.actor === null ? [] : [`By ${notice.actor}`];
  if (group.alerts === 1) return [...actor, ...alertLines(only, notice)];
  const named = members.slice(0, namedMax).map(memberLine);
  const more = (notice.step === 'changed' ? notice.joined + notice.recovered : group.alerts) - named.length;
  const since = Date.parse(group.opened_at);
  const resolved = group.resolved_at === null ? null : Date.parse(group.resolved_at);
  return [
    ...actor,
    `${notice.severity.toUpperCase()} · ${timeText(since, resolved)}`,
    ...named,
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function alertLines({ alert, monitor }: NoticeMember, { step }: ChannelNotice): string[] {
  const { regions, regions_failing: failing, quorum, reason } = alert;
  const verb = alert.resolved_at === null ? 'failing' : 'failed';
  const noun = regions.length === 1 ? 'region' : 'regions';
  const where =
    alert.kind === 'certificate'
      ? ` · seen in ${failing.join(', ')}`
      : alert.kind === 'domain'
        ? ''
        : ` · ${failing.length} of ${regions.length} ${noun} ${verb} (quorum ${quorum}): ${failing.join(', ')}`;
  const resolved = alert.resolved_at === null ? null : Date.parse(alert.resolved_at);
  return [
    ...(step === 'resolved' ? [] : [reason.summary]),
    `${alert.severity.toUpperCase()}${where}`,
    timeText(Date.parse(alert.started_at), resolved),
    ...(monitor.host === '' ? [] : [`Monitor: ${monitor.name} (${monitor.host})`]),
  ];
}

function memberLine({ alert }: NoticeMember): string {
  const state = alert.resolved_at === null ? '' : ' – resolved';
  return `• ${alert.title}${state}`;
}

function timeText(startMs: number, endMs: number | null): string {
  return endMs === null ? `Since ${utcText(startMs)}` : `From ${utcText(startMs)} to ${utcText(endMs)}`;
}
