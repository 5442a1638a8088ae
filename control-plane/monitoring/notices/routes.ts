import { z } from 'zod';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { commaList, rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { noticeKinds, noticeSchema, viewNotice } from './notice.ts';
import { listNotices } from './store.ts';

export const noticeEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/notices',
    summary: 'List notices about regions, agents and channels, newest first',
    tag: 'Alerts',
    scope: 'alerts:read',
    query: z.strictObject({
      ...pageParameters,
      ...rangeParameters,
      kind: commaList(noticeKinds).optional(),
      state: commaList(['open', 'closed'] as const).optional(),
    }),
    answers: { 200: listOf(noticeSchema) },
    handle: async ({ sql, caller, query }) => {
      const filter = {
        kinds: query.kind ?? null,
        states: query.state ?? null,
        fromMs: query.from ?? null,
        toMs: query.to ?? null,
      };
      const rows = await listNotices(sql, caller.projectId, filter, readPage('notices', query));
      return { status: 200, body: pageOf('notices', query, rows, row => [row.opened_at, row.id], viewNotice) };
    },
  }),
];
