import type pg from 'pg';
import { z } from 'zod';
import { secondMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Endpoint, endpoint, stepEndpoint } from '../../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../../platform/http/endpoint/pagination.ts';
import { type FieldCode, fieldProblem, Problem } from '../../../platform/http/problem.ts';
import { requireQuota } from '../../../platform/project-limits/quota-store.ts';
import { publishingCounts } from '../../quotas/store.ts';
import { lockPublication, requestPublication } from '../publish/publication-store.ts';
import { findStatusPage, lockStatusPage, type StatusPageRow } from '../store.ts';
import { applyLook } from './apply-look.ts';
import { nextCheck } from './decide.ts';
import {
  auditDomain,
  type DomainRow,
  domainNameOf,
  domainSchema,
  isOurs,
  pageDomainSchema,
  viewDomain,
} from './domain.ts';
import type { LookUp } from './look-up.ts';
import {
  announceHosts,
  countDomains,
  findDomain,
  insertDomain,
  leaveCanonical,
  listDomains,
  removeDomains,
  takeAsk,
} from './store.ts';

const tag = 'Status pages';
const path = '/v0/status-pages/{id}/domains';
const params = z.object({ id: z.string().max(40) });
const domainParams = z.object({ id: z.string().max(40), domain_id: z.string().max(40) });
const perPageMax = 5;
const askEveryMs = 10 * secondMs;

export type DomainServices = {
  baseUrl: string;
  lookUp: LookUp;
  /** Sees the domains of all projects: a proof may take one from another. */
  pool: pg.Pool;
};

export function domainEndpoints({ baseUrl, lookUp, pool }: DomainServices): readonly Endpoint[] {
  const view = (row: DomainRow) => viewDomain(row, baseUrl);
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'List the own domains of a status page, newest first',
      tag,
      scope: 'status-pages:read',
      params,
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(pageDomainSchema) },
      handle: async ({ sql, caller, params: { id }, query }) => {
        const page = await requirePage(sql, caller.projectId, id);
        const list = `domains ${id}`;
        const rows = await listDomains(sql, ownerOf(page), readPage(list, query));
        return { status: 200, body: pageOf(list, query, rows, row => [row.created_at, row.id], view) };
      },
    }),
    endpoint({
      method: 'post',
      path,
      summary: 'Add an own domain to a status page; it is served there once its record proves it',
      tag,
      scope: 'status-pages:write',
      params,
      body: z.object({ domain: domainSchema }),
      answers: { 201: pageDomainSchema },
      audit: ['page_domain.created'],
      handle: async ({ sql, caller, params: { id }, body, nowMs, record }) => {
        const domain = requireName(body.domain, baseUrl);
        await requireQuota(sql, caller.projectId, publishingCounts.page_domains);
        const page = await requirePage(sql, caller.projectId, id, lockStatusPage);
        if ((await countDomains(sql, id)) >= perPageMax)
          throw new Problem('limit_reached', { detail: `a status page may have at most ${perPageMax} domains` });
        const next = { domain, nextMs: nextCheck('pending', nowMs, nowMs) };
        const row = await insertDomain(sql, ownerOf(page), next, nowMs);
        if (row === null) throw new Problem('domain_taken');
        await announceHosts(sql);
        const after = auditDomain(row);
        await record({ action: 'page_domain.created', subject: row.id, name: domain, before: null, after });
        return { status: 201, body: view(row) };
      },
    }),
    stepEndpoint({
      method: 'post',
      path: `${path}/{domain_id}/verify`,
      operation: 'verifyPageDomain',
      summary: 'Look for the record of a domain now, at most once in ten seconds',
      tag,
      scope: 'status-pages:write',
      params: domainParams,
      answers: { 200: pageDomainSchema },
      handle: async ({ caller, params: { id, domain_id }, transact, now, save }) => {
        const owner = { projectId: caller.projectId, pageId: id };
        const asked = await transact(async sql => {
          const row = await requireDomain(sql, owner, domain_id);
          const askedMs = now();
          if (await takeAsk(sql, row.id, askedMs - askEveryMs, askedMs)) return row;
          const waitMs = (row.asked_at ?? askedMs) + askEveryMs - askedMs;
          throw new Problem('rate_limited', { retryAfter: Math.max(1, Math.ceil(waitMs / secondMs)) });
        });
        const look = await lookUp(asked);
        await applyLook(pool, asked, { look, isAsked: true, nowMs: now() });
        return transact(async sql => {
          const answer = { status: 200, body: view(await requireDomain(sql, owner, domain_id)) };
          await save(sql, answer);
          return answer;
        });
      },
    }),
    endpoint({
      method: 'delete',
      path: `${path}/{domain_id}`,
      summary: 'Remove a domain; its host answers nothing for 30 days',
      tag,
      scope: 'status-pages:write',
      params: domainParams,
      answers: { 204: null },
      audit: ['page_domain.deleted'],
      handle: async ({ sql, caller, params: { id, domain_id }, nowMs, record }) => {
        // In the order of a publication, which locks its row first.
        await lockPublication(sql, id, nowMs);
        const page = await requirePage(sql, caller.projectId, id, lockStatusPage);
        const row = await requireDomain(sql, ownerOf(page), domain_id);
        await removeDomains(sql, id, row.id, nowMs);
        if (await leaveCanonical(sql, row, nowMs)) await requestPublication(sql, [id], nowMs);
        await announceHosts(sql);
        const before = auditDomain(row);
        await record({ action: 'page_domain.deleted', subject: row.id, name: row.domain, before, after: null });
        return { status: 204 };
      },
    }),
  ];
}

function requireName(text: string, baseUrl: string): string {
  const domain = domainNameOf(text);
  const refuse = (code: FieldCode, detail: string) => fieldProblem('/domain', code, detail);
  if (domain === null)
    throw refuse('format', 'must be the name of a host with 2 to 10 parts, such as status.example.com');
  if (isOurs(domain, baseUrl)) throw refuse('not_allowed', 'is the host of this installation, or stands above it');
  return domain;
}

async function requirePage(
  sql: Sql,
  projectId: string,
  id: string,
  find: typeof findStatusPage = findStatusPage,
): Promise<StatusPageRow> {
  const page = await find(sql, projectId, id);
  if (page === null) throw new Problem('not_found');
  return page;
}

async function requireDomain(sql: Sql, owner: { projectId: string; pageId: string }, id: string): Promise<DomainRow> {
  const row = await findDomain(sql, owner, id);
  if (row === null) throw new Problem('not_found');
  return row;
}

function ownerOf({ project_id, id }: StatusPageRow): { projectId: string; pageId: string } {
  return { projectId: project_id, pageId: id };
}
