import type pg from 'pg';
import { minuteMs } from '#shared/duration.ts';
import type { Severity } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { attempt, transactionByItem } from '../../platform/failures/by-item.ts';
import { listMembers } from '../alert-groups/member-store.ts';
import type { ChannelNotice } from '../channels/notice.ts';
import { queueNotice } from '../channels/queue-store.ts';
import { type ChannelType, pagingTypes } from '../channels/types/registry.ts';
import { composeNotice } from './compose.ts';
import type { PlannedMessage } from './group-state.ts';
import { stateOf, toQueue } from './run.ts';
import {
  type DueDigest,
  type DueGroup,
  deleteDigest,
  findDueDigest,
  lockDigest,
  lockGroup,
  postponeDigest,
  saveProgress,
  typesOfChannels,
} from './run-store.ts';

/** A group in a digest: what its channel would have been notified of. */
type Entry = { group: DueGroup; notice: ChannelNotice; message: PlannedMessage; isOpen: boolean };

const retryMs = minuteMs;

/**
 * Sends one digest whose quiet hours are over. Returns whether one was due. One that fails is tried again later. Groups
 * are locked before their digest, as when they are added to it.
 */
export function sendDueDigest(pool: pg.Pool, nowMs: number): Promise<number> {
  return transactionByItem(pool, async sql => {
    const due = await findDueDigest(sql, nowMs);
    if (due === null) return 0;
    const groups = new Map<string, DueGroup | null>();
    for (const id of due.group_ids.toSorted()) groups.set(id, await lockGroup(sql, id));
    const digest = await lockDigest(sql, due.channel_id, nowMs);
    // Another replica was faster, or a group was added since: the next turn sees it as it is.
    if (digest === null || !digest.group_ids.every(id => groups.has(id))) return 1;
    const { channel_id: id, project_id: projectId } = digest;
    const item = { work: 'digests', id, projectId, nowMs } as const;
    const send = () => sendDigest(sql, digest, groups, nowMs);
    await attempt(sql, item, send, () => postponeDigest(sql, id, nowMs + retryMs));
    return 1;
  });
}

async function sendDigest(
  sql: Sql,
  digest: DueDigest,
  groups: ReadonlyMap<string, DueGroup | null>,
  nowMs: number,
): Promise<void> {
  await deleteDigest(sql, digest.channel_id);
  const { project_id: projectId, channel_id: channelId } = digest;
  const entries: Entry[] = [];
  for (const id of digest.group_ids.toSorted()) {
    const group = groups.get(id) ?? null;
    const entry = group === null ? null : await takeEntry(sql, group, channelId, nowMs);
    if (entry !== null) entries.push(entry);
  }
  const type = (await typesOfChannels(sql, projectId, [channelId])).get(channelId);
  const open = entries.filter(({ isOpen }) => isOpen);
  const paging = pagingTypes.includes(type as ChannelType);
  const alone = open.length === 1 && entries.length === 1;
  if (paging || alone)
    for (const entry of open) await queueNotice(sql, toQueue(entry.group, entry.message, entry.notice), nowMs);
  else if (entries.length > 0) await queueDigest(sql, channelId, entries, nowMs);
}

/** Takes the group out of its digest: the channel knows of it from now on. Null if it was notified meanwhile. */
async function takeEntry(sql: Sql, group: DueGroup, channelId: string, nowMs: number): Promise<Entry | null> {
  const { id } = group;
  const progress = group.progress.channels[channelId];
  if (progress?.digestAt === undefined) return null;
  const members = await listMembers(sql, id);
  const { members: known } = stateOf(group, members);
  const isOpen = known.some(member => member.resolvedAt === null);
  const sequence = group.progress.sequence + 1;
  const of = known.map(member => member.alertId);
  const step = progress.told && progress.resolved !== true ? 'updated' : 'opened';
  const message: PlannedMessage = {
    channelId,
    step,
    routeId: null,
    stepIndex: null,
    sequence,
    about: of,
    of,
    joined: 0,
    recovered: 0,
  };
  const project = { id: group.project_id, name: group.project_name };
  const notice = await composeNotice(sql, { group, members, project }, message, nowMs);
  const { digestAt: _, resolved: __, ...rest } = progress;
  const { number } = group;
  const notified = { ...rest, at: nowMs, changed: number, acknowledged: number, updated: number, told: true };
  const after = isOpen ? notified : { ...notified, resolved: true as const };
  const channels = { ...group.progress.channels, [channelId]: after };
  await saveProgress(sql, id, { ...group.progress, sequence, channels }, nowMs);
  return { group, notice, message, isOpen };
}

async function queueDigest(sql: Sql, channelId: string, entries: readonly Entry[], nowMs: number): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  const open = entries.filter(({ isOpen }) => isOpen);
  const gone = entries.filter(({ isOpen }) => !isOpen);
  const lines = [
    ...(open.length > 0 ? ['Still open:', ...open.map(lineOf)] : []),
    ...(gone.length > 0 ? ['Opened and resolved:', ...gone.map(lineOf)] : []),
  ];
  const notice: ChannelNotice = {
    ...first.notice,
    step: 'digest',
    severity: open.map(({ notice }): Severity => notice.severity).sort()[0] ?? 'p3',
    group: null,
    members: [],
    title: `Quiet hours are over: ${open.length} open, ${gone.length} resolved`,
    lines: lines.slice(0, 100),
  };
  const { projectId, id } = { projectId: first.group.project_id, id: `digest ${channelId} ${nowMs}` };
  const queued = {
    projectId,
    kind: 'digest',
    key: 'digest',
    thread: id,
    sequence: 1,
    channelIds: [channelId],
  } as const;
  await queueNotice(sql, { ...queued, alertId: null, routeId: null, notice }, nowMs);
}

function lineOf({ notice }: Entry): string {
  const { group, members, severity } = notice;
  const [first] = members;
  const more = (group?.alerts ?? 1) - 1;
  const name = first?.alert.title ?? 'an alert';
  return `• ${severity.toUpperCase()} ${name}${more > 0 ? ` and ${more} more` : ''}, since ${group?.opened_at ?? ''}`;
}
