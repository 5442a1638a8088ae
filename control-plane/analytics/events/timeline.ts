import type { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Project } from '../../platform/projects/project.ts';
import { findProject } from '../../platform/projects/store.ts';
import { listSessionsOf, type Session, type SessionOwner } from '../links/link-store.ts';
import { actorOf } from './actor.ts';
import type { EventType, timelineItemSchema } from './event.ts';
import { limits } from './event.ts';
import { listEventsOf, listEventsOfSessions, listReleaseEvents, type TimelineRow } from './timeline-store.ts';

/** Of a user: the newest. */
const sessionsMax = 1000;

export type TimelineFilter = { from?: number | undefined; to?: number | undefined; types?: EventType[] | undefined };

/**
 * A user's events, those of linked sessions too, and, if their type is asked for, the project's releases, newest first:
 * one row more than the page if there are more. Without `types`, everything but releases.
 */
export async function readTimeline(
  sql: Sql,
  projectId: string,
  externalId: string,
  filter: TimelineFilter,
  page: Page,
  nowMs: number,
): Promise<TimelineRow[]> {
  const types = filter.types ?? ['track', 'error'];
  const project = await findProject(sql, projectId);
  const retainedFromMs = nowMs - (project?.event_retention_days ?? 30) * dayMs;
  // Timestamps are at most an hour ahead of arrival, so events from then on did not arrive more than an hour earlier.
  const arrivedMs = Math.max(retainedFromMs, (filter.from ?? 0) - limits.aheadMs);
  const range = { projectId, arrivedMs, fromMs: filter.from ?? null, toMs: filter.to ?? null };
  const userTypes = types.filter(type => type !== 'release');
  const actor = actorOf(externalId, null) ?? 0;
  const sessions = userTypes.length === 0 ? [] : await sessionsOf(sql, project, { projectId, actor, externalId });
  const rows = [
    ...(userTypes.length === 0 ? [] : await listEventsOf(sql, { ...range, actor, externalId, types: userTypes }, page)),
    ...(sessions.length === 0 ? [] : await listEventsOfSessions(sql, { ...range, sessions, types: userTypes }, page)),
    ...(types.includes('release') ? await listReleaseEvents(sql, range, page) : []),
  ];
  return rows.sort(newestFirst).slice(0, page.limit + 1);
}

function sessionsOf(sql: Sql, project: Project | null, owner: SessionOwner): Promise<Session[]> | Session[] {
  return project?.link_sessions === true ? listSessionsOf(sql, owner, sessionsMax) : [];
}

function newestFirst(left: TimelineRow, right: TimelineRow): number {
  return right.timestamp - left.timestamp || (left.id < right.id ? 1 : -1);
}

/** A row as the API shows it; events without props or session have none. */
export function showItem(row: TimelineRow): z.infer<typeof timelineItemSchema> {
  const { id, name, type, timestamp, props, session_id, linked } = row;
  return {
    id,
    name,
    type,
    timestamp: toTimestamp(timestamp),
    ...(props === null ? {} : { props }),
    ...(session_id === null ? {} : { session_id }),
    ...(linked === true ? { linked } : {}),
  };
}
