import { randomInt } from 'node:crypto';
import { newId } from '#shared/ids.ts';
import { olderThan } from '../../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { Page } from '../../../platform/http/endpoint/pagination.ts';
import type { HostRow } from '../hosts/hosts.ts';
import type { DomainRow } from './domain.ts';

const columns = fragment`
  id, project_id, status_page_id, domain, token, state, state_since, points_here, error, checked_at, verified_at,
  asked_at, next_check_at, created_at`;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const tokenLength = 32;

type Owner = { projectId: string; pageId: string };

/** Null if the project has the domain already. */
export async function insertDomain(
  sql: Sql,
  { projectId, pageId }: Owner,
  { domain, nextMs }: { domain: string; nextMs: number | null },
  nowMs: number,
): Promise<DomainRow | null> {
  const now = instant(nowMs);
  const token = Array.from({ length: tokenLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  return sql.row<DomainRow>`
    insert into page_domains
      (id, project_id, status_page_id, domain, token, state_since, next_check_at, created_at)
    values (${newId('dom', nowMs)}, ${projectId}, ${pageId}, ${domain}, ${token}, ${now}, ${instant(nextMs)}, ${now})
    on conflict (project_id, domain) where state <> 'removed' do nothing
    returning ${columns}`;
}

/** Null if the page has no such domain. */
export async function findDomain(sql: Sql, { projectId, pageId }: Owner, id: string): Promise<DomainRow | null> {
  return sql.row<DomainRow>`
    select ${columns}
    from page_domains
    where id = ${id} and project_id = ${projectId} and status_page_id = ${pageId} and state <> 'removed'`;
}

/** Null if the page has no such domain. */
export async function findDomainByName(sql: Sql, pageId: string, domain: string): Promise<DomainRow | null> {
  return sql.row<DomainRow>`
    select ${columns}
    from page_domains
    where status_page_id = ${pageId} and domain = ${domain} and state <> 'removed'`;
}

/** Locks the row, of any project; null if it does not exist. */
export async function lockDomain(sql: Sql, id: string): Promise<DomainRow | null> {
  return sql.row<DomainRow>`
    select ${columns}
    from page_domains
    where id = ${id}
    for update`;
}

/** Domains of a page, newest first, with one more than the limit if there are more. */
export async function listDomains(sql: Sql, { projectId, pageId }: Owner, page: Page): Promise<DomainRow[]> {
  return sql.rows<DomainRow>`
    select ${columns}
    from page_domains
    where project_id = ${projectId}
      and status_page_id = ${pageId}
      and state <> 'removed'
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

export async function countDomains(sql: Sql, pageId: string): Promise<number> {
  const row = await sql.row<{ count: number }>`
    select count(*)
    from page_domains
    where status_page_id = ${pageId} and state <> 'removed'`;
  return row?.count ?? 0;
}

/** Notes that somebody asks for a look. False if the last time was after `sinceMs`. */
export async function takeAsk(sql: Sql, id: string, sinceMs: number, nowMs: number): Promise<boolean> {
  const count = await sql.run`
    update page_domains
    set asked_at = ${instant(nowMs)}
    where id = ${id} and (asked_at is null or asked_at <= ${instant(sinceMs)})`;
  return count === 1;
}

/** Where the domain is proven for another page; null if it is not. */
export async function findHolder(sql: Sql, { id, domain }: DomainRow): Promise<DomainRow | null> {
  return sql.row<DomainRow>`
    select ${columns}
    from page_domains
    where domain = ${domain} and id <> ${id} and state in ('verified', 'failing')`;
}

export type Checked = Pick<
  DomainRow,
  'id' | 'state' | 'state_since' | 'points_here' | 'error' | 'checked_at' | 'verified_at' | 'next_check_at'
>;

export async function updateChecked(sql: Sql, row: Checked): Promise<void> {
  await sql.run`
    update page_domains
    set state = ${row.state},
      state_since = ${instant(row.state_since)},
      points_here = ${row.points_here},
      error = ${row.error},
      checked_at = ${instant(row.checked_at)},
      verified_at = ${instant(row.verified_at)},
      next_check_at = ${instant(row.next_check_at)}
    where id = ${row.id}`;
}

/** Deletes domains of a page, or of one alone. The hosts of those that were proven answer nothing for a while. */
export async function removeDomains(sql: Sql, pageId: string, id: string | null, nowMs: number): Promise<void> {
  await sql.run`
    delete from page_domains
    where status_page_id = ${pageId} and id = coalesce(${id}, id) and verified_at is null`;
  await sql.run`
    update page_domains
    set state = 'removed', state_since = ${instant(nowMs)}, next_check_at = null
    where status_page_id = ${pageId} and id = coalesce(${id}, id) and state <> 'removed'`;
}

/** Deletes what was removed before the instant. */
export async function purgeDomains(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`delete from page_domains where state = 'removed' and state_since < ${instant(beforeMs)}`;
}

/** Whether the page may be known by the domain. */
export async function isProven(sql: Sql, pageId: string, domain: string): Promise<boolean> {
  const row = await sql.row`
    select id
    from page_domains
    where status_page_id = ${pageId} and domain = ${domain} and state in ('verified', 'failing')
    for share`;
  return row !== null;
}

/** Makes the page known by the domain if it has no other that is proven. True if it is known by it from now on. */
export async function becomeCanonical(
  sql: Sql,
  { status_page_id, id, domain }: DomainRow,
  nowMs: number,
): Promise<boolean> {
  const count = await sql.run`
    update status_pages
    set canonical_domain = ${domain}, updated_at = ${instant(nowMs)}
    where id = ${status_page_id}
      and canonical_domain is null
      and not exists (
        select
        from page_domains
        where status_page_id = ${status_page_id} and id <> ${id} and state in ('verified', 'failing')
      )`;
  return count === 1;
}

/** The page is known by the domain no longer. True if it was. */
export async function leaveCanonical(
  sql: Sql,
  { status_page_id, domain }: Pick<DomainRow, 'status_page_id' | 'domain'>,
  nowMs: number,
): Promise<boolean> {
  const count = await sql.run`
    update status_pages
    set canonical_domain = null, updated_at = ${instant(nowMs)}
    where id = ${status_page_id} and canonical_domain = ${domain}`;
  return count === 1;
}

/** Locks the rows of pages, in the order of their ids. */
export async function lockPages(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.run`
    select id
    from status_pages
    where id = any(${ids}::text[])
    order by id
    for update`;
}

/**
 * Takes domains that the worker is to look at, few of each project: its name servers may take their time. Whoever took
 * them and died leaves them to the next after `leaseMs`.
 */
export async function claimDue(
  sql: Sql,
  { limit, perProject, leaseMs }: { limit: number; perProject: number; leaseMs: number },
  nowMs: number,
): Promise<DomainRow[]> {
  return sql.rows<DomainRow>`
    update page_domains
    set next_check_at = ${instant(nowMs + leaseMs)}
    where id in (
        select id
        from (
          select id, next_check_at, row_number() over (partition by project_id order by next_check_at, id) as turn
          from page_domains
          where next_check_at <= ${instant(nowMs)}
        ) due
        where turn <= ${perProject}
        order by next_check_at
        limit ${limit}
      )
      and next_check_at <= ${instant(nowMs)}
    returning ${columns}`;
}

/** Domains that are not proven any more, of all projects. */
export async function listFailing(sql: Sql, limit: number): Promise<DomainRow[]> {
  return sql.rows<DomainRow>`
    select ${columns}
    from page_domains
    where state in ('failing', 'lost')
    order by state_since, id
    limit ${limit}`;
}

/** What fronts need to know about hosts: of all domains there are. */
export async function listHosts(sql: Sql): Promise<HostRow[]> {
  return sql.rows<HostRow>`
    select d.domain, d.status_page_id as "pageId", d.state in ('verified', 'failing') as "isProven",
      d.verified_at is not null as "wasProven",
      coalesce(p.canonical_domain = d.domain, false) as "isCanonical"
    from page_domains d
    join status_pages p on p.id = d.status_page_id
    order by d.domain, d.id`;
}

/** Has every front read the hosts again. */
export async function announceHosts(sql: Sql): Promise<void> {
  await sql.run`select pg_notify('pages', '')`;
}
