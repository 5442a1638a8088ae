import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { requestCheck } from '../assignments/confirm.ts';
import { automaticText } from './automatic.ts';
import { lockExisting } from './lock.ts';
import type { UpdatePost } from './maintenance.ts';
import { lockOccurrence, type Occurrence, settleDue, stateOf, writeOccurrence } from './occurrences/store.ts';
import type { AnnouncingPages } from './pages.ts';
import { recordChange } from './record-change.ts';
import { type StoredMaintenance, touchMaintenance } from './store.ts';
import { checkSuppressed } from './suppress.ts';
import { postUpdate } from './updates/post-update.ts';
import { endErrors } from './validate.ts';

type Target = { projectId: string; id: string; occurrenceId: string | undefined };
const notBegun = 'The maintenance has not begun. Cancel it, or name the occurrence to extend in `occurrence_id`.';
const hooks = { checkWanted: requestCheck };
type Locked = { maintenance: StoredMaintenance; occurrence: Occurrence };

/** Lets an occurrence last longer. Throws `not_found`, `maintenance_over`, `validation_failed`. */
export async function extendOccurrence(
  sql: Sql,
  pages: AnnouncingPages,
  target: Target,
  endsAt: number,
  nowMs: number,
): Promise<void> {
  const { maintenance, occurrence } = await lockUnfinished(sql, target, { orNext: false }, nowMs);
  const errors = endErrors(occurrence, endsAt, nowMs);
  if (errors.length > 0) throw new Problem('validation_failed', { errors });
  await write(sql, { ...occurrence, ends_at: endsAt }, nowMs);
  if (maintenance.announced) {
    const state = stateOf(occurrence, nowMs) === 'scheduled' ? 'scheduled' : 'in_progress';
    const body = automaticText('extended', endsAt);
    await pages.requireDeliveries(sql, target.projectId, await pages.listScopePages(sql, maintenance), nowMs);
    await postUpdate(sql, occurrence, { state, body, automatic: 'extended' }, nowMs);
  }
  await recordChange(sql, maintenance, 'maintenance.changed', nowMs, occurrence.id);
}

/** Ends an occurrence now; its plan keeps its times. Throws `not_found`, `maintenance_over`. */
export async function endOccurrence(sql: Sql, target: Target, nowMs: number): Promise<void> {
  const { maintenance, occurrence } = await lockUnfinished(sql, target, { orNext: false }, nowMs);
  if (stateOf(occurrence, nowMs) === 'scheduled') throw new Problem('maintenance_over', { detail: notBegun });
  await endNow(sql, maintenance, occurrence, nowMs);
  if (maintenance.announced) {
    const body = automaticText('completed', nowMs);
    await postUpdate(sql, occurrence, { state: 'completed', body, automatic: 'completed' }, nowMs);
  }
}

/** Cancels an occurrence: what it has had of effect until now stays. Throws `not_found`, `maintenance_over`. */
export async function cancelOccurrence(sql: Sql, target: Target, nowMs: number): Promise<void> {
  const { maintenance, occurrence } = await lockUnfinished(sql, target, { orNext: true }, nowMs);
  await write(sql, { ...occurrence, cancelled_at: nowMs }, nowMs);
  if (maintenance.announced && isShown(maintenance, occurrence, nowMs)) {
    const body = automaticText('cancelled', nowMs);
    await postUpdate(sql, occurrence, { state: 'completed', body, automatic: 'cancelled' }, nowMs);
  }
  await checkSuppressed(sql, hooks, { id: occurrence.id, ends_at: nowMs }, nowMs);
  await recordChange(sql, maintenance, 'maintenance.cancelled', nowMs, occurrence.id);
}

/** Posts an update; `completed` ends the occurrence if it lasts. Throws `not_found`, `validation_failed`. */
export async function addUpdate(
  sql: Sql,
  pages: AnnouncingPages,
  target: Target,
  post: UpdatePost,
  nowMs: number,
): Promise<void> {
  const { maintenance, occurrence } = await lockTarget(sql, target, { orNext: true }, nowMs);
  const present = stateOf(occurrence, nowMs);
  const state = post.state ?? (present === 'cancelled' ? 'completed' : present);
  if (state === 'completed' && present === 'in_progress') await endNow(sql, maintenance, occurrence, nowMs);
  await pages.requireDeliveries(sql, target.projectId, await pages.listScopePages(sql, maintenance), nowMs);
  await postUpdate(sql, occurrence, { state, body: post.body, automatic: null }, nowMs);
  await touchMaintenance(sql, maintenance.id, nowMs);
}

async function endNow(sql: Sql, maintenance: StoredMaintenance, occurrence: Occurrence, nowMs: number): Promise<void> {
  const started = occurrence.started_at ?? nowMs;
  await write(sql, { ...occurrence, ends_at: nowMs, started_at: started, ended_at: nowMs }, nowMs);
  await recordChange(sql, maintenance, 'maintenance.ended', nowMs, occurrence.id);
  await checkSuppressed(sql, hooks, { id: occurrence.id, ends_at: nowMs }, nowMs);
}

/** Whether pages have shown it: who never heard of it does not hear that it was cancelled. */
function isShown(maintenance: StoredMaintenance, occurrence: Occurrence, nowMs: number): boolean {
  return occurrence.starts_at - maintenance.announce_before_hours * 3_600_000 <= nowMs;
}

async function write(sql: Sql, occurrence: Occurrence, nowMs: number): Promise<void> {
  await writeOccurrence(sql, occurrence);
  await settleDue(sql, occurrence.maintenance_id, nowMs);
  await touchMaintenance(sql, occurrence.maintenance_id, nowMs);
}

async function lockUnfinished(sql: Sql, target: Target, choice: { orNext: boolean }, nowMs: number): Promise<Locked> {
  const locked = await lockTarget(sql, target, choice, nowMs);
  const state = stateOf(locked.occurrence, nowMs);
  if (state === 'completed' || state === 'cancelled') throw new Problem('maintenance_over');
  return locked;
}

async function lockTarget(sql: Sql, target: Target, { orNext }: { orNext: boolean }, nowMs: number): Promise<Locked> {
  const maintenance = await lockExisting(sql, target.projectId, target.id);
  const occurrence = await lockOccurrence(sql, target.id, { id: target.occurrenceId, orNext }, nowMs);
  if (occurrence !== null) return { maintenance, occurrence };
  if (target.occurrenceId === undefined) {
    const next = await lockOccurrence(sql, target.id, { id: undefined, orNext: true }, nowMs);
    throw new Problem('maintenance_over', next === null ? {} : { detail: notBegun });
  }
  throw new Problem('validation_failed', {
    errors: [{ pointer: '/occurrence_id', code: 'unknown_reference', detail: 'is not an occurrence of it' }],
  });
}
