import { dayMs, dayOf } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { requestDays, requestRecounts } from '../cells/queue-store.ts';
import { listEntryHours } from '../flows/funnel/entry-store.ts';
import { isFullyRetained } from '../flows/roll-up/dirty-hours.ts';
import { markHours } from '../flows/roll-up/queue-store.ts';
import { findVersion, listVersions } from '../flows/store.ts';
import { listEntryHoursOf, listHoursOf } from '../links/change-store.ts';

/** Sessions that belong to somebody else now; `users`: to whom they may have belonged, besides those they name. */
type Moved = { projectId: string; sessions: readonly number[]; users?: readonly number[] };

/** Marks the hours for counting again in which it counts whose these sessions are, as far as these are kept. */
export async function recountSessions(sql: Sql, moved: Moved, keptFromMs: number): Promise<void> {
  const { projectId, sessions, users = [] } = moved;
  if (sessions.length === 0) return;
  const hours = await listHoursOf(sql, projectId, sessions, firstKeptDay(keptFromMs));
  if (hours.length > 0) await requestRecounts(sql, projectId, hours, true);
  await markFlows(sql, projectId, keptFromMs, rule =>
    listEntryHoursOf(sql, { projectId, sessions, users }, firstOf(rule), keptFromMs),
  );
}

/** Marks everything for counting again that is kept. */
export async function recountAll(sql: Sql, projectId: string, keptFromMs: number, nowMs: number): Promise<void> {
  await requestDays(sql, projectId, firstKeptDay(keptFromMs), nowMs);
  await markFlows(sql, projectId, keptFromMs, rule => listEntryHours(sql, projectId, rule, keptFromMs, null));
}

function firstOf({ steps, windowSeconds }: Rule): { event: string; windowSeconds: number } {
  return { event: steps[0]?.event ?? '', windowSeconds };
}

type Rule = NonNullable<Awaited<ReturnType<typeof findVersion>>>;

async function markFlows(
  sql: Sql,
  projectId: string,
  keptFromMs: number,
  hoursOf: (rule: Rule) => Promise<number[]>,
): Promise<void> {
  for (const key of await listVersions(sql, projectId)) {
    // One that is not filled marks all hours itself.
    const version = key.isFilled ? await findVersion(sql, key.flowId, key.version) : null;
    if (version === null) continue;
    const hours = await hoursOf(version);
    await markHours(
      sql,
      version,
      hours.filter(hour => isFullyRetained(hour, keptFromMs)),
    );
  }
}

/** The first day of which all arrivals are kept. */
function firstKeptDay(keptFromMs: number): number {
  return dayOf(keptFromMs + dayMs - 1);
}
