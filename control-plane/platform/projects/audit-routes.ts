import { z } from 'zod';
import { auditActions, auditResources } from '../audit/actions.ts';
import type { Caller } from '../http/endpoint/caller.ts';
import { type Endpoint, endpoint, type Pool, type Transact } from '../http/endpoint/endpoint.ts';
import {
  listOf,
  type PageKey,
  pageInPortions,
  pageParameters,
  refuseTurnedRange,
} from '../http/endpoint/pagination.ts';
import { commaList, rangeParameters } from '../http/endpoint/parameters.ts';
import { prefersType } from '../http/prefers-type.ts';
import { Problem } from '../http/problem.ts';
import { auditSchema, storedNames, viewAudit } from './audit.ts';
import { type AuditFilter, listAudit } from './audit-store.ts';

const lineType = 'application/x-ndjson';
/** Entries of one read of a stream. */
const linesAtOnce = 50;

type AuditPlace = Pick<Endpoint, 'path' | 'summary' | 'tag' | 'scope' | 'operatorOnly' | 'peopleOnly' | 'anywhere'> & {
  operation?: string;
  pool: Pool;
  /** Whose entries a caller sees; null for those of no project. */
  projectOf(caller: Caller): string | null;
};

/** The audit of a project, or of the installation: what belongs to no project. */
export function auditEndpoint({ projectOf, ...place }: AuditPlace): Endpoint {
  return endpoint({
    ...place,
    method: 'get',
    query: z.strictObject({
      ...pageParameters,
      ...rangeParameters,
      subject: z.string().max(100).describe('ID of the resource that changed.').optional(),
      actor: z.string().max(100).describe('ID of the token or person, or `operator`.').optional(),
      resource: commaList(auditResources).optional(),
      action: commaList(auditActions).optional(),
    }),
    answers: { 200: listOf(auditSchema) },
    mediaTypes: ['application/json', lineType],
    handle: async ({ sql, caller, query, accept, nowMs }) => {
      const filter: AuditFilter = {
        subject: query.subject ?? null,
        actor: query.actor ?? null,
        actions: storedNames(query.action, query.resource),
        fromMs: query.from ?? null,
        toMs: query.to ?? null,
      };
      const headers = { Vary: 'Accept' };
      if (prefersType(accept, [lineType], ['application/json', 'application/*', '*/*'])) {
        refusePages(query);
        refuseTurnedRange(query);
        const until = { ...filter, toMs: Math.min(query.to ?? Number.POSITIVE_INFINITY, nowMs + 1) };
        const lines = (transact: Transact) => readLines(transact, projectOf(caller), until);
        return { status: 200, headers, stream: { type: lineType, lines } };
      }
      const body = await pageInPortions(page => listAudit(sql, projectOf(caller), filter, page), {
        name: 'audit',
        query,
        keyOf: row => [row.at, row.id],
        show: viewAudit,
      });
      return { status: 200, body, headers };
    },
  });
}

export const auditEndpoints: readonly Endpoint[] = [
  auditEndpoint({
    path: '/v0/audit',
    summary: 'List changes and who made them, newest first; with `Accept: application/x-ndjson` all, oldest first',
    tag: 'Projects',
    scope: 'audit:read',
    pool: 'reports',
    projectOf: caller => caller.projectId,
  }),
];

/** A stream has no pages. */
function refusePages(query: { limit?: number | undefined; cursor?: string | undefined }): void {
  const parameter = query.limit !== undefined ? 'limit' : 'cursor';
  if (query[parameter] === undefined) return;
  const detail = `does not belong to ${lineType}, which has no pages`;
  throw new Problem('invalid_parameter', { detail, errors: [{ parameter, code: 'not_allowed', detail }] });
}

/** Reads on as the client does: a few entries are in memory at once, and no transaction waits for the client. */
async function* readLines(transact: Transact, projectId: string | null, filter: AuditFilter): AsyncGenerator<string> {
  for (let after: PageKey | null = null; ; ) {
    const page: { limit: number; after: PageKey | null } = { limit: linesAtOnce, after };
    const rows = await transact(sql => listAudit(sql, projectId, filter, page, 'oldest'));
    for (const row of rows.slice(0, linesAtOnce)) yield `${JSON.stringify(viewAudit(row))}\n`;
    const last = rows[linesAtOnce - 1];
    if (rows.length <= linesAtOnce || last === undefined) return;
    after = [last.at, last.id];
  }
}
