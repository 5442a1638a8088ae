import type pg from 'pg';
import { minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { attempt, transactionByItem } from '../../platform/failures/by-item.ts';
import { type Automatic, automaticText } from './automatic.ts';
import type { MaintenanceHooks } from './hooks.ts';
import type { UpdateState } from './maintenance.ts';
import { plan } from './occurrences/plan.ts';
import { lockDue, type Occurrence, settleDue, writeOccurrence } from './occurrences/store.ts';
import { recordChange } from './record-change.ts';
import { findAnnouncement, lockToExpand, postponeOccurrence } from './store.ts';
import { checkSuppressed } from './suppress.ts';
import { postUpdate } from './updates/post-update.ts';

const retryMs = minuteMs;

/**
 * Announces, starts or ends the occurrence that is due for longest, each once, on any replica; false if none is. Their
 * effect follows the instants by itself: this is when people are notified. One that fails is tried again later, and
 * delays none.
 */
export function advanceOccurrence(pool: pg.Pool, hooks: MaintenanceHooks, nowMs: number): Promise<boolean> {
  return transactionByItem(pool, async sql => {
    const occurrence = await lockDue(sql, nowMs);
    if (occurrence === null) return false;
    const { id, project_id: projectId } = occurrence;
    const item = { work: 'maintenance', id, projectId, nowMs } as const;
    const advanceOne = () => advance(sql, hooks, occurrence, nowMs);
    await attempt(sql, item, advanceOne, () => postponeOccurrence(sql, id, nowMs + retryMs));
    return true;
  });
}

async function advance(sql: Sql, hooks: MaintenanceHooks, occurrence: Occurrence, nowMs: number): Promise<void> {
  const { announced, announceAt } = await findAnnouncement(sql, occurrence);
  const done = { ...occurrence };
  if (announced && done.announced_at === null && done.started_at === null && announceAt <= nowMs) {
    done.announced_at = nowMs;
    // Who hears of it when it begins needs no announcement.
    if (nowMs < done.starts_at) await say(sql, occurrence, 'announced', 'scheduled', nowMs);
  }
  if (done.started_at === null && done.starts_at <= nowMs) {
    done.started_at = nowMs;
    if (announced) await say(sql, occurrence, 'started', 'in_progress', nowMs);
    await announce(sql, occurrence, 'maintenance.started', nowMs);
  }
  if (done.ended_at === null && done.ends_at <= nowMs) {
    done.ended_at = nowMs;
    if (announced) await say(sql, occurrence, 'completed', 'completed', nowMs);
    await announce(sql, occurrence, 'maintenance.ended', nowMs);
    await checkSuppressed(sql, hooks, occurrence, nowMs);
  }
  await writeOccurrence(sql, done);
  await settleDue(sql, done.maintenance_id, nowMs);
}

/** Plans the occurrences of one recurring maintenance further; false if none needs it. */
export function expandNext(pool: pg.Pool, nowMs: number): Promise<boolean> {
  return transactionByItem(pool, async sql => {
    const maintenance = await lockToExpand(sql, nowMs);
    if (maintenance === null) return false;
    const { id, project_id: projectId } = maintenance;
    const item = { work: 'maintenance-plans', id, projectId, nowMs } as const;
    await attempt(
      sql,
      item,
      () => plan(sql, maintenance, nowMs),
      () => undefined,
    );
    return true;
  });
}

function say(sql: Sql, occurrence: Occurrence, automatic: Automatic, state: UpdateState, nowMs: number): Promise<void> {
  const body = automaticText(automatic, occurrence.ends_at);
  return postUpdate(sql, occurrence, { state, body, automatic }, nowMs);
}

function announce(
  sql: Sql,
  { id, maintenance_id, project_id }: Occurrence,
  kind: 'maintenance.started' | 'maintenance.ended',
  nowMs: number,
): Promise<void> {
  return recordChange(sql, { id: maintenance_id, project_id }, kind, nowMs, id);
}
