import type pg from 'pg';
import { minuteMs } from '#shared/duration.ts';

import { restoredReason } from '../../delivery/notifications/fan-out.ts';
import { cancelUnsent, hasStepFailed, putNoticeOnHold } from '../../delivery/notifications/group-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { attempt, transactionByItem } from '../../platform/failures/by-item.ts';
import { listMembers, type MemberRow } from '../alert-groups/member-store.ts';
import { postponeGroup } from '../alert-groups/store.ts';
import { stepAttemptsMax } from '../channels/channel-sender.ts';
import { queueNotice } from '../channels/queue-store.ts';
import { type ChannelType, pagingTypes } from '../channels/types/registry.ts';
import { advance } from './advance.ts';
import { composeNotice } from './compose.ts';
import type { GroupState, Member, PlannedMessage, RouteRules } from './group-state.ts';
import { rulesOf } from './route.ts';
import { addToDigest, claimDueGroup, type DueGroup, saveRun, typesOfChannels } from './run-store.ts';
import { listRoutes, viewRoute } from './store.ts';

const retryMs = minuteMs;

/**
 * Does what is due of one group, in a transaction that holds it. Returns whether one was due. One that fails is tried
 * again later: it delays no other.
 */
export function runDueGroup(pool: pg.Pool, nowMs: number): Promise<number> {
  return transactionByItem(pool, async sql => {
    const group = await claimDueGroup(sql, nowMs);
    if (group === null) return 0;
    const { id, project_id: projectId } = group;
    const item = { work: 'alert-groups', id, projectId, nowMs } as const;
    await attempt(
      sql,
      item,
      () => runGroup(sql, group, nowMs),
      () => postponeGroup(sql, id, nowMs + retryMs),
    );
    return 1;
  });
}

async function runGroup(sql: Sql, group: DueGroup, nowMs: number): Promise<void> {
  const members = await listMembers(sql, group.id);
  const routes = (await listRoutes(sql, group.project_id)).map(viewRoute).map(rulesOf);
  const failed = await failedRoutes(sql, group, routes);
  const channelIds = [...new Set(routes.flatMap(route => route.steps.flatMap(step => step.channelIds)))];
  const types = await typesOfChannels(sql, group.project_id, [...channelIds, ...Object.keys(group.progress.channels)]);
  const paging = [...types].filter(([, type]) => pagingTypes.includes(type as ChannelType)).map(([id]) => id);
  const plan = advance(stateOf(group, members), routes, { failed, paging }, nowMs);
  const unnotified = await cancelOfResolved(sql, group, plan.messages, paging, nowMs);
  const project = { id: group.project_id, name: group.project_name };
  for (const message of plan.messages) {
    if (unnotified.includes(message.channelId)) continue;
    const notice = await composeNotice(sql, { group, members, project }, message, nowMs);
    const queued = toQueue(group, message, notice);
    await queueNotice(sql, queued, nowMs);
    if (group.progress.restored === true) await putNoticeOnHold(sql, queued, restoredReason, nowMs);
  }
  for (const { channelId, at } of plan.digests)
    await addToDigest(sql, { projectId: group.project_id, channelId, groupId: group.id, at });
  const stillRestored = group.progress.restored === true && Object.keys(plan.progress.channels).length === 0;
  const progress = stillRestored ? { ...plan.progress, restored: true as const } : plan.progress;
  await saveRun(sql, group, { ...plan, progress }, nowMs);
}

/** A step is found again by its route and index, anything else is what it is by its place in the sequence. */
function stepKey(message: Pick<PlannedMessage, 'routeId' | 'stepIndex' | 'step' | 'sequence'>): string {
  return message.stepIndex === null || message.routeId === null
    ? `${message.step} ${message.sequence}`
    : `step ${message.routeId} ${message.stepIndex}`;
}

export function toQueue(
  group: DueGroup,
  message: PlannedMessage,
  notice: Awaited<ReturnType<typeof composeNotice>>,
): Parameters<typeof queueNotice>[1] {
  const [alertId = null] = message.of;
  return {
    projectId: group.project_id,
    kind: 'alert_channel',
    key: stepKey(message),
    thread: group.id,
    sequence: message.sequence,
    channelIds: [message.channelId],
    alertId: message.of.length === 1 ? alertId : null,
    routeId: message.routeId,
    notice,
  };
}

/** Of a group, what decisions are made of. */
export function stateOf(group: DueGroup, rows: readonly MemberRow[]): GroupState {
  const members = rows.map(
    (row): Member => ({
      alertId: row.alert_id,
      routeIds: row.route_ids,
      severity: row.severity,
      notifiedAt: row.told_at,
      suppressedMs: row.held_ms,
      joinedNumber: row.joined_number,
      acknowledgedAt: row.acknowledged_at,
      acknowledgedNumber: row.acknowledged_number,
      updatedNumber: row.updated_number,
      resolvedAt: row.resolved_at,
      resolvedNumber: row.resolved_number,
      suppressed: row.held,
    }),
  );
  const { progress, told_at: notifiedAt, wait_seconds: waitSeconds, number } = group;
  return { members, progress, notifiedAt, waitMs: waitSeconds * 1000, number };
}

/** Routes whose last step was sent to nobody, while another step follows. */
async function failedRoutes(sql: Sql, group: DueGroup, routes: readonly RouteRules[]): Promise<string[]> {
  const failed: string[] = [];
  for (const [routeId, { steps }] of Object.entries(group.progress.routes)) {
    const route = routes.find(({ id }) => id === routeId);
    if (route === undefined || steps === 0 || steps >= route.steps.length) continue;
    const step = { groupId: group.id, routeId, key: `step ${routeId} ${steps - 1}` };
    if (await hasStepFailed(sql, step, stepAttemptsMax)) failed.push(routeId);
  }
  return failed;
}

/**
 * What still waits for its first attempt when all is resolved is cancelled: the last message says both times. Returns
 * the paging services that were notified of nothing: they are not of the end either.
 */
async function cancelOfResolved(
  sql: Sql,
  group: DueGroup,
  messages: readonly PlannedMessage[],
  paging: readonly string[],
  nowMs: number,
): Promise<string[]> {
  const ended = messages.filter(({ step }) => step === 'resolved').map(({ channelId }) => channelId);
  if (ended.length === 0) return [];
  const about = { projectId: group.project_id, groupId: group.id };
  const queued = await cancelUnsent(sql, about, ended, 'resolved before it was sent', nowMs);
  return queued
    .filter(({ channel_id: id, waiting, begun }) => paging.includes(id) && waiting > 0 && begun === 0)
    .map(({ channel_id }) => channel_id);
}
