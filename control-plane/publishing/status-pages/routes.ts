import type pg from 'pg';
import { z } from 'zod';
import { removeComponentsOf } from '../../monitoring/components/remove.ts';
import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { allows, type Caller } from '../../platform/http/endpoint/caller.ts';
import { type Answer, type Endpoint, endpoint, stepEndpoint } from '../../platform/http/endpoint/endpoint.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { publishingCounts } from '../quotas/store.ts';
import type { AccessSettings } from './access/access.ts';
import { accessOf, askedAccess, setAccess, writeGate } from './access/change-access.ts';
import { auditPage } from './audit.ts';
import { changeStatusPage, type PageChange, removeStatusPage, requireFewFormerSlugs, rotateLink } from './change.ts';
import { listOpenImpacts } from './component-store.ts';
import type { LookUp } from './domains/look-up.ts';
import { domainEndpoints } from './domains/routes.ts';
import { findDomainByName } from './domains/store.ts';
import type { PreviewRequest } from './publish/previewer.ts';
import { publishPage } from './publish/publish.ts';
import {
  changedPageSchema,
  slugOf,
  statusPagePatchSchema,
  statusPagePostSchema,
  statusPageSchema,
} from './status-page.ts';
import {
  findStatusPage,
  insertStatusPage,
  isInUse,
  listStatusPages,
  lockStatusPage,
  type StatusPageRow,
} from './store.ts';
import { viewStatusPage } from './view.ts';

const statusPageParams = z.object({ id: z.string().max(40) });
const tag = 'Status pages';

/** What is shown of a page beside itself. */
type Shown = { status?: number; link?: string | null; warnings?: readonly string[] };

type StatusPageServices = {
  /** Where the public reaches the pages. */
  baseUrl: string;
  canMail: boolean;
  keyring: Keyring;
  /** Renders a page of the caller's project with changes, apart from this event loop. */
  preview(request: PreviewRequest): Promise<string>;
  lookUp: LookUp;
  /** Sees all projects. */
  pool: pg.Pool;
};

export function statusPageEndpoints(services: StatusPageServices): readonly Endpoint[] {
  const { baseUrl, canMail, keyring, preview } = services;
  // Whoever may change the page may see the key of its feeds.
  const view = (row: StatusPageRow, caller: Caller, link: string | null = null) => {
    const secrets = allows(caller.scopes, 'status-pages:write') ? accessOf(row, keyring).secrets : null;
    return viewStatusPage(row, { baseUrl, secrets, link });
  };
  const show = async (sql: Sql, caller: Caller, id: string, more: Shown = {}): Promise<Answer> => {
    const row = await findStatusPage(sql, caller.projectId, id);
    if (row === null) throw new Problem('not_found');
    const { status = 200, link = null, warnings = [] } = more;
    const headers: Record<string, string> = status === 201 ? { Location: `/v0/status-pages/${id}` } : {};
    const body = { ...view(row, caller, link), ...(warnings.length === 0 ? {} : { warnings }) };
    return { status, body, headers };
  };
  return [
    endpoint({
      method: 'get',
      path: '/v0/status-pages',
      summary: 'List status pages, newest first',
      tag,
      scope: 'status-pages:read',
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(statusPageSchema) },
      handle: async ({ sql, caller, query }) => {
        const rows = await listStatusPages(sql, caller.projectId, readPage('status-pages', query));
        const shown = (row: StatusPageRow) => view(row, caller);
        return { status: 200, body: pageOf('status-pages', query, rows, row => [row.created_at, row.id], shown) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/status-pages',
      summary: 'Create a status page; it is published immediately',
      tag,
      scope: 'status-pages:write',
      body: statusPagePostSchema,
      answers: { 201: statusPageSchema },
      audit: ['status_page.created'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        const slug = body.slug ?? slugOf(body.name);
        if (slug === null)
          throw fieldProblem('/slug', 'required', 'is required: the name has no letters or digits to make one from');
        await requireQuota(sql, caller.projectId, publishingCounts.status_pages);
        await requireFewFormerSlugs(sql, caller.projectId);
        const id = await insertStatusPage(sql, caller.projectId, { ...body, slug }, nowMs);
        if (id === null) throw new Problem('slug_taken');
        const link = await closePage(sql, { projectId: caller.projectId, id }, body.access, keyring, nowMs);
        // It has no components and incidents yet: nothing that would take long.
        await publishPage(sql, id, { baseUrl, canMail, nowMs });
        const row = await findStatusPage(sql, caller.projectId, id);
        if (row !== null) await writeGate(sql, row, keyring, nowMs);
        const after = row === null ? {} : await auditPage(sql, row);
        await record({ action: 'status_page.created', subject: id, name: body.name, before: null, after });
        return show(sql, caller, id, { status: 201, link });
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/status-pages/{id}',
      summary: 'Get a status page',
      tag,
      scope: 'status-pages:read',
      params: statusPageParams,
      answers: { 200: statusPageSchema },
      handle: ({ sql, caller, params }) => show(sql, caller, params.id),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/status-pages/{id}',
      summary: 'Update a status page; a new slug changes its address, and the old address redirects to it',
      tag,
      scope: 'status-pages:write',
      params: statusPageParams,
      body: statusPagePatchSchema,
      answers: { 200: changedPageSchema },
      ifMatch: true,
      audit: ['status_page.updated', 'page_domain.canonical_set'],
      handle: async ({ sql, caller, params, body, nowMs, expectedUpdate, record }) => {
        const target = { projectId: caller.projectId, id: params.id, expectedUpdate };
        const { link, warnings, ...change } = await changeStatusPage(sql, target, body, keyring, nowMs);
        const name = String(change.after.name);
        await record({ action: 'status_page.updated', subject: params.id, name, ...change });
        await recordCanonical(sql, params.id, change, record);
        return show(sql, caller, params.id, { link, warnings });
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/status-pages/{id}/rotate-link',
      operation: 'rotateStatusPageLink',
      summary: 'Make another link for a page that is seen by link; the one of before ends at once',
      tag,
      scope: 'status-pages:write',
      params: statusPageParams,
      answers: { 200: statusPageSchema },
      audit: ['status_page.link_rotated'],
      handle: async ({ sql, caller, params, nowMs, record }) => {
        const owner = { projectId: caller.projectId, id: params.id };
        const { link, warnings: _, ...change } = await rotateLink(sql, owner, keyring, nowMs);
        const name = String(change.after.name);
        await record({ action: 'status_page.link_rotated', subject: params.id, name, ...change });
        return show(sql, caller, params.id, { link });
      },
    }),
    ...domainEndpoints(services),
    stepEndpoint({
      method: 'post',
      path: '/v0/status-pages/{id}/preview',
      operation: 'previewStatusPage',
      summary: 'Render the page as it would be with these changes; nothing is stored or published',
      tag,
      scope: 'status-pages:write',
      params: statusPageParams,
      body: statusPagePatchSchema,
      answers: {
        200: z.object({ html: z.string().describe('The page as an HTML document, with at most the last 30 days.') }),
      },
      changesNothing: () => true,
      pool: 'reports',
      handle: async ({ transact, caller, params, body, now }) => {
        const row = await transact(sql => findStatusPage(sql, caller.projectId, params.id));
        if (row === null) throw new Problem('not_found');
        return { status: 200, body: { html: await preview({ row, patch: body, nowMs: now() }) } };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/status-pages/{id}',
      summary: 'Delete a status page without open incidents; with `components=delete` also its components',
      tag,
      scope: 'status-pages:write',
      params: statusPageParams,
      query: z.strictObject({ components: z.enum(['refuse', 'delete']).default('refuse') }),
      answers: { 204: null },
      ifMatch: true,
      audit: ['status_page.deleted', 'component.deleted'],
      handle: async ({ sql, caller, params, query, nowMs, expectedUpdate, record }) => {
        if (query.components === 'delete' && !allows(caller.scopes, 'components:write'))
          throw new Problem('insufficient_scope', { detail: 'components=delete needs the scope components:write' });
        if (query.components === 'delete')
          for (const change of await removeComponentsOf(sql, { listOpenImpacts }, caller.projectId, params.id, nowMs))
            await record(change);
        const page = await lockStatusPage(sql, caller.projectId, params.id);
        if (page === null) throw new Problem('not_found');
        requireUnchanged(expectedUpdate, page.updated_at);
        if (await isInUse(sql, params.id)) throw new Problem('status_page_in_use');
        const before = await auditPage(sql, page);
        await removeStatusPage(sql, params.id, nowMs);
        await record({ action: 'status_page.deleted', subject: page.id, name: page.name, before, after: null });
        return { status: 204 };
      },
    }),
  ];
}

/** Gives a new page its access before anything of it is published. Returns the secret of its link. */
async function closePage(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
  asked: AccessSettings,
  keyring: Keyring,
  nowMs: number,
): Promise<string | null> {
  const row = await lockStatusPage(sql, projectId, id);
  const access = row === null ? null : await askedAccess(row, asked, keyring);
  if (row === null || access === null) return null;
  await setAccess(sql, row, access, keyring, nowMs);
  return access.link;
}

/** An entry of its own about the domain by which the page is known from now on, or was. */
async function recordCanonical(
  sql: Sql,
  pageId: string,
  { before, after }: Pick<PageChange, 'before' | 'after'>,
  record: (change: Change) => Promise<unknown>,
): Promise<void> {
  const [was, is] = [before.canonical_domain, after.canonical_domain];
  const domain = await findDomainByName(sql, pageId, String(is ?? was));
  if (was === is || domain === null) return;
  const side = (canonical: unknown) => ({ canonical: canonical === domain.domain });
  await record({
    action: 'page_domain.canonical_set',
    subject: domain.id,
    name: domain.domain,
    before: side(was),
    after: side(is),
  });
}
