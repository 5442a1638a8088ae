import { z } from 'zod';
import type { Fields } from '../../platform/audit/entry.ts';
import { addressFields } from '../../platform/audit/sealed.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { postRelease, type ReleaseServices } from './post-release.ts';
import { releasePostSchema, releaseSchema } from './release.ts';
import { removeRelease } from './remove-release.ts';
import { findRelease, listReleases, type ReleaseRow, viewRelease } from './store.ts';

export function releaseEndpoints(services: ReleaseServices): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v0/releases',
      summary: 'List releases, newest first',
      tag: 'Releases',
      scope: 'releases:read',
      query: z.strictObject({ ...pageParameters, ...rangeParameters, environment: z.string().max(100).optional() }),
      answers: { 200: listOf(releaseSchema) },
      handle: async ({ sql, caller, query }) => {
        const filter = { environment: query.environment ?? null, fromMs: query.from ?? null, toMs: query.to ?? null };
        const rows = await listReleases(sql, caller.projectId, filter, readPage('releases', query));
        return { status: 200, body: pageOf('releases', query, rows, row => [row.released_at, row.id], viewRelease) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/releases',
      summary: 'Create a release; posting the same version and environment again returns the first one',
      tag: 'Releases',
      scope: 'releases:write',
      body: releasePostSchema,
      answers: { 201: releaseSchema, 200: releaseSchema },
      audit: ['release.created'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        const { row, created } = await postRelease(sql, services, caller.projectId, body, nowMs);
        if (!created) return { status: 200, body: viewRelease(row) };
        const after = auditRelease(row);
        await record({ action: 'release.created', subject: row.id, name: row.version, before: null, after });
        return { status: 201, body: viewRelease(row), headers: { Location: `/v0/releases/${row.id}` } };
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/releases/{id}',
      summary: 'Get a release',
      tag: 'Releases',
      scope: 'releases:read',
      params: z.object({ id: z.string().max(40) }),
      answers: { 200: releaseSchema },
      handle: async ({ sql, caller, params }) => {
        const row = await findRelease(sql, caller.projectId, params.id);
        if (row === null) throw new Problem('not_found');
        return { status: 200, body: viewRelease(row) };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/releases/{id}',
      summary: 'Delete a release; funnel entries of its time are attributed to the release before',
      tag: 'Releases',
      scope: 'releases:write',
      params: z.object({ id: z.string().max(40) }),
      answers: { 204: null },
      audit: ['release.deleted'],
      handle: async ({ sql, caller, params, nowMs, record }) => {
        const row = await removeRelease(sql, services.hooks, { projectId: caller.projectId, id: params.id }, nowMs);
        const before = auditRelease(row);
        await record({ action: 'release.deleted', subject: row.id, name: row.version, before, after: null });
        return { status: 204 };
      },
    }),
  ];
}

function auditRelease(row: ReleaseRow): Fields {
  const { event_id: _eventId, url, ...rest } = viewRelease(row);
  return { ...rest, ...(url === null ? { url } : addressFields(url)) };
}
