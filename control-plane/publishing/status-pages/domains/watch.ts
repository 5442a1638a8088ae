import type pg from 'pg';
import { minuteMs } from '#shared/duration.ts';
import type { Condition } from '../../../monitoring/notices/notice.ts';
import { type Sql, sqlOf } from '../../../platform/db/sql.ts';
import { applyLook } from './apply-look.ts';
import type { LookUp } from './look-up.ts';
import { claimDue, listFailing } from './store.ts';

/** Looked at together; name servers that do not answer hold up those of others for 15 seconds. */
const turn = { limit: 50, perProject: 10, leaseMs: 2 * minuteMs };
const failingMax = 1000;

/** Looks at the domains that are due. */
export async function watchDomains(pool: pg.Pool, lookUp: LookUp, now: () => number): Promise<void> {
  const due = await claimDue(sqlOf(pool), turn, now());
  const looked = await Promise.all(due.map(async row => ({ row, look: await lookUp(row) })));
  const faults: unknown[] = [];
  // One that cannot be stored holds up no other.
  for (const { row, look } of looked)
    await applyLook(pool, row, { look, isAsked: false, nowMs: now() }).catch(fault => faults.push(fault));
  if (faults.length > 0) throw faults[0];
}

/** Domains of status pages whose proof is missing, of all projects. */
export async function domainConditions(sql: Sql): Promise<Condition[]> {
  return (await listFailing(sql, failingMax)).map(({ id, project_id, domain, state, state_since, error }) => ({
    projectId: project_id,
    kind: 'page_domain.failing',
    subjectType: 'page_domain',
    subjectId: id,
    subjectName: domain,
    distinction: '',
    sinceMs: state_since,
    afterMs: 0,
    title: `The domain ${domain} is not proven any more`,
    detail: `${error ?? 'The last look found no proof'}. ${
      state === 'failing'
        ? 'The status page is still served there, but no longer than three days without the record.'
        : 'The status page is not served there.'
    }`,
  }));
}
