import { toTimestamp } from '#shared/clock.ts';
import type { Severity } from '#shared/vocabulary.ts';
import { findAlert, viewAlert } from '../../monitoring/alerts/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { hostOf } from '../alert-groups/keys.ts';
import type { MemberRow } from '../alert-groups/member-store.ts';
import { type ChannelNotice, type NoticeMember, namedMax } from '../channels/notice.ts';
import type { PlannedMessage } from './group-state.ts';
import { findTarget } from './member-target-store.ts';
import type { DueGroup } from './run-store.ts';

/** A group with its alerts, from which messages are made. */
export type Composing = { group: DueGroup; members: readonly MemberRow[]; project: { id: string; name: string } };

/** The notice of a planned message: it names the alerts it is about, and counts all that the channel knows of. */
export async function composeNotice(
  sql: Sql,
  { group, members, project }: Composing,
  message: Pick<PlannedMessage, 'step' | 'about' | 'of' | 'joined' | 'recovered'>,
  nowMs: number,
): Promise<ChannelNotice> {
  const known = members.filter(member => message.of.includes(member.alert_id));
  const named: NoticeMember[] = [];
  for (const alertId of message.about.slice(0, namedMax)) {
    const member = await composeMember(sql, project.id, alertId);
    if (member !== null) named.push(member);
  }
  const unresolved = known.filter(member => member.resolved_at === null);
  const ended = known.map(member => member.resolved_at ?? 0);
  const actor = message.step === 'acknowledged' ? known.find(member => member.actor !== null)?.actor : null;
  return {
    step: message.step,
    at: nowMs,
    severity: worst(unresolved.length > 0 ? unresolved : known),
    project,
    group: {
      id: group.id,
      cause: group.cause,
      opened_at: toTimestamp(group.opened_at),
      resolved_at: unresolved.length > 0 ? null : toTimestamp(Math.max(...ended)),
      alerts: known.length,
      unresolved: unresolved.length,
    },
    members: named,
    joined: message.joined,
    recovered: message.recovered,
    actor: actor ?? null,
    title: null,
    lines: [],
  };
}

async function composeMember(sql: Sql, projectId: string, alertId: string): Promise<NoticeMember | null> {
  const alert = await findAlert(sql, projectId, alertId);
  if (alert === null) return null;
  const target = await findTarget(sql, alert.monitor_id);
  const host = hostOf(target?.url ?? '') ?? '';
  return { alert: viewAlert(alert), monitor: { id: alert.monitor_id, name: target?.name ?? '', host } };
}

function worst(members: readonly MemberRow[]): Severity {
  return members.map(member => member.severity).sort()[0] ?? 'p3';
}
