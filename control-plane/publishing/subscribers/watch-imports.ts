import type pg from 'pg';
import { dayMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { attemptApart } from '../../platform/failures/by-item.ts';
import { endImports, type ImportAnswers, quarantineImported, readImportAnswers } from './import-store.ts';

const watchedMs = 14 * dayMs;
/** Mail providers block senders from about a twentieth of refusals on. */
const badMin = 10;
const badShareMax = 0.05;

/** True if so many recipients refuse the emails of an import, or leave, that they cannot have asked for them. */
export function isUnwanted({ total, bad }: Pick<ImportAnswers, 'total' | 'bad'>): boolean {
  return bad >= badMin && bad > total * badShareMax;
}

/**
 * Ends the imports of projects whose recipients refuse them: nothing more is sent to lately imported addresses until
 * they confirm, and no more are imported until the operator allows it again. Returns how many projects.
 */
export async function watchImports(pool: pg.Pool, nowMs: number, log: Logger): Promise<number> {
  const sinceMs = nowMs - watchedMs;
  const unwanted = (await readImportAnswers(sqlOf(pool), sinceMs)).filter(isUnwanted);
  for (const { project_id: projectId, total, bad } of unwanted) {
    const reason =
      `imports were ended: ${bad} of ${total} imported addresses refused the emails or unsubscribed; ` +
      'the others have to confirm; ask your operator';
    const end = () =>
      transaction(pool, async sql => {
        await endImports(sql, projectId, reason);
        await quarantineImported(sql, projectId, reason, { sinceMs, nowMs });
      });
    if (!(await attemptApart(pool, { work: 'imports', id: projectId, projectId, nowMs }, end))) continue;
    log.warn({ project: projectId, bad, total }, 'a project’s imports were ended: too many recipients refused them');
  }
  return unwanted.length;
}
