import type pg from 'pg';
import { hourMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Fact } from '../../platform/facts/fact.ts';
import { appendFacts } from '../../platform/facts/store.ts';
import { attemptAll, transactionByItem } from '../../platform/failures/by-item.ts';
import { markLateResults } from './condition-store.ts';
import { readConditions } from './conditions.ts';
import { planNotices } from './plan.ts';
import { type ChangedNotice, closeNotices, listOpen, openNotices } from './store.ts';

/** The rest follows in the next look. */
const batchMax = 1000;
const sampledMonitors = 20;

/** Opens and closes notices, each once, and appends a fact for each. Run by one replica at a time. */
export async function watchNotices(pool: pg.Pool, operatorProject: string | null, nowMs: number): Promise<void> {
  await transactionByItem(pool, async sql => {
    const open = await listOpen(sql);
    const plan = planNotices(await readConditions(sql, operatorProject), open, nowMs);
    const closing = plan.closed.slice(0, batchMax);
    const itemOf = (id: string, projectId: string | null) => ({ work: 'notices', id, projectId, nowMs }) as const;
    await attemptAll(
      sql,
      closing,
      ({ id, project_id }) => itemOf(id, project_id),
      async some => announce(sql, 'notice.closed', await closeNotices(sql, idsOf(some), nowMs), nowMs),
    );
    await attemptAll(
      sql,
      plan.opened.slice(0, batchMax),
      ({ kind, subjectId, projectId }) => itemOf(`${kind} ${subjectId}`, projectId),
      async some => announce(sql, 'notice.opened', await openNotices(sql, some, nowMs), nowMs),
    );
  });
  await transaction(pool, sql => markLateResults(sql, nowMs - hourMs, sampledMonitors));
}

function idsOf(notices: readonly { id: string }[]): string[] {
  return notices.map(({ id }) => id);
}

function announce(
  sql: Sql,
  kind: 'notice.opened' | 'notice.closed',
  changed: readonly ChangedNotice[],
  nowMs: number,
): Promise<void> {
  const facts = changed.map(
    (notice): Fact => ({
      kind,
      projectId: notice.project_id,
      subject: notice.id,
      payload: { notice: notice.kind, about: notice.subject_id },
    }),
  );
  return appendFacts(sql, facts, nowMs);
}
