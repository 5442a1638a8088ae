import { z } from 'zod';
import { checkKinds, checkStatuses } from '#shared/check-result.ts';
import { dayMs } from '#shared/duration.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { rangeParameters, timestampSchema } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { revivalDays } from '../monitors/monitor.ts';
import { monitorParams } from '../monitors/routes.ts';
import { hasHistory } from '../monitors/store.ts';
import { checkResultSchema, viewResult } from './result.ts';
import { historyKey, listResults } from './storage/history-store.ts';

export const checkEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/monitors/{id}/checks',
    summary: 'List check results, newest first; available for 30 days after the monitor is deleted',
    tag: 'Checks',
    scope: 'monitors:read',
    params: monitorParams,
    query: z.strictObject({
      ...pageParameters,
      ...rangeParameters,
      at: timestampSchema
        .optional()
        .describe('Only checks with this `scheduled_at`, as the response of check-now has it in `at`.'),
      region: z.string().max(64).optional(),
      kind: z.enum(checkKinds).optional(),
      status: z.enum(checkStatuses).optional(),
    }),
    answers: { 200: listOf(checkResultSchema) },
    handle: async ({ sql, caller, params, query, nowMs }) => {
      const list = `checks of ${params.id}`;
      const page = readPage(list, query);
      if (page.after !== null && !/^[^/]{1,64}\/[a-z]{1,16}\/\d{1,4}$/.test(page.after[1]))
        throw new Problem('invalid_cursor');
      if (!(await hasHistory(sql, caller.projectId, params.id, nowMs - revivalDays * dayMs)))
        throw new Problem('not_found');
      const { from: fromMs, to: toMs, at: atMs, region, kind, status } = query;
      const filter = { monitorId: params.id, fromMs, toMs, atMs, region, kind, status };
      return { status: 200, body: pageOf(list, query, await listResults(sql, filter, page), historyKey, viewResult) };
    },
  }),
];
