import { z } from 'zod';
import { checkStatuses, storedCheckKinds } from '#shared/check-result.ts';
import { dayMs } from '#shared/duration.ts';
import { allows } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { rangeParameters, timestampSchema } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { revivalDays } from '../monitors/monitor.ts';
import { monitorParams } from '../monitors/routes.ts';
import { hasHistory } from '../monitors/store.ts';
import { outputOf, readOutputs } from './outputs.ts';
import { checkResultSchema, type ResultRow, viewResult } from './result.ts';
import { historyKey, listResults } from './storage/history-store.ts';

/** Region, kind and attempt, which the database takes as they are. */
function isKey(text: string): boolean {
  const attempt = /^[^/]{1,64}\/[a-z]{1,16}\/(\d{1,5})$/.exec(text)?.[1];
  return attempt !== undefined && Number(attempt) <= 32_767;
}

export const checkEndpoints = ({ keyring }: { keyring: Keyring }): readonly Endpoint[] => [
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
      kind: z.enum(storedCheckKinds).optional(),
      status: z.enum(checkStatuses).optional(),
    }),
    answers: { 200: listOf(checkResultSchema) },
    handle: async ({ sql, caller, params, query, nowMs }) => {
      const list = `checks of ${params.id}`;
      const page = readPage(list, query);
      if (page.after !== null && !isKey(page.after[1])) throw new Problem('invalid_cursor');
      if (!(await hasHistory(sql, caller.projectId, params.id, nowMs - revivalDays * dayMs)))
        throw new Problem('not_found');
      const { from: fromMs, to: toMs, at: atMs, region, kind, status } = query;
      const filter = { monitorId: params.id, fromMs, toMs, atMs, region, kind, status };
      const rows = await listResults(sql, filter, page);
      const outputs = allows(caller.scopes, 'monitors:write')
        ? await readOutputs(sql, keyring, params.id, rows)
        : new Map<string, string>();
      const view = (row: ResultRow) => ({ ...viewResult(row), ...outputOf(row, outputs) });
      return { status: 200, body: pageOf(list, query, rows, historyKey, view) };
    },
  }),
];
