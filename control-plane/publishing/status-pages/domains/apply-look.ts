import type pg from 'pg';
import { isUniqueViolation } from '../../../platform/db/errors.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { lockPublication, requestPublication } from '../publish/publication-store.ts';
import { decide, type Look, nextCheck } from './decide.ts';
import { type DomainRow, provenStates } from './domain.ts';
import {
  announceHosts,
  becomeCanonical,
  findHolder,
  leaveCanonical,
  lockDomain,
  lockPages,
  updateChecked,
} from './store.ts';

type Looked = { look: Look; isAsked: boolean; nowMs: number };

/**
 * Stores what name servers said of a domain, and what follows. The domain may be another project's, too: it moves to
 * the page that has proven it last. `pool` must see all projects.
 */
export async function applyLook(pool: pg.Pool, row: DomainRow, looked: Looked): Promise<void> {
  if (await transaction(pool, sql => noteLook(sql, row.id, looked))) return;
  const change = () => transaction(pool, sql => changeState(sql, row, looked));
  // Two pages proved it at the same time: the second finds the first now.
  await change().catch(error => (isUniqueViolation(error) ? change() : Promise.reject(error)));
}

/** Most looks find what was there before. False if the state changes: that takes more locks, in their order. */
async function noteLook(sql: Sql, id: string, { look, isAsked, nowMs }: Looked): Promise<boolean> {
  const row = await lockDomain(sql, id);
  if (row === null || row.state === 'removed') return true;
  const next = decide(row, { look, holder: await findHolder(sql, row), isAsked }, nowMs);
  if (next.state !== row.state) return false;
  await updateChecked(sql, { id, ...next });
  return true;
}

async function changeState(sql: Sql, { id, ...known }: DomainRow, { look, isAsked, nowMs }: Looked): Promise<void> {
  const former = await findHolder(sql, { id, ...known });
  const pages = [known.status_page_id, ...(former === null ? [] : [former.status_page_id])].sort();
  for (const page of pages) await lockPublication(sql, page, nowMs);
  await lockPages(sql, pages);
  const row = await lockDomain(sql, id);
  if (row === null || row.state === 'removed') return;
  const holder = await findHolder(sql, row);
  const next = decide(row, { look, holder, isAsked }, nowMs);
  const [was, is] = [provenStates.includes(row.state), provenStates.includes(next.state)];
  if (is && holder !== null) await takeFrom(sql, holder, nowMs);
  await updateChecked(sql, { id, ...next });
  if (was === is) return;
  const isKnownOtherwise = is ? await becomeCanonical(sql, row, nowMs) : await leaveCanonical(sql, row, nowMs);
  if (isKnownOtherwise) await requestPublication(sql, [row.status_page_id], nowMs);
  await announceHosts(sql);
}

async function takeFrom(sql: Sql, holder: DomainRow, nowMs: number): Promise<void> {
  await updateChecked(sql, {
    ...holder,
    state: 'lost',
    state_since: nowMs,
    error: 'another status page has proven this domain since',
    next_check_at: nextCheck('lost', nowMs, nowMs),
  });
  if (await leaveCanonical(sql, holder, nowMs)) await requestPublication(sql, [holder.status_page_id], nowMs);
}
