import { z } from 'zod';
import { dayMs } from '#shared/duration.ts';
import { verdicts } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { commaList, rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { resultId } from '../checks/result.ts';
import { revivalDays } from '../monitors/monitor.ts';
import { monitorParams } from '../monitors/routes.ts';
import { hasHistory } from '../monitors/store.ts';
import { findChecksOf, listVerdicts } from './list-store.ts';
import { type VerdictRow, verdictRowSchema, viewVerdictRow } from './verdict-row.ts';

export const verdictEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/monitors/{id}/verdicts',
    summary: 'List the verdicts on a monitor with the votes that made them, newest first',
    tag: 'Monitors',
    scope: 'monitors:read',
    params: monitorParams,
    query: z.strictObject({ ...pageParameters, ...rangeParameters, verdict: commaList(verdicts).optional() }),
    answers: { 200: listOf(verdictRowSchema) },
    handle: async ({ sql, caller, params, query, nowMs }) => {
      const list = `verdicts of ${params.id}`;
      const page = readPage(list, query);
      if (!(await hasHistory(sql, caller.projectId, params.id, nowMs - revivalDays * dayMs)))
        throw new Problem('not_found');
      const filter = {
        monitorId: params.id,
        fromMs: query.from ?? null,
        toMs: query.to ?? null,
        verdicts: query.verdict ?? null,
      };
      const rows = await listVerdicts(sql, caller.projectId, filter, page);
      const idOf = await checkIds(sql, params.id, rows);
      const show = (row: VerdictRow) => viewVerdictRow(row, idOf);
      return { status: 200, body: pageOf(list, query, rows, row => [row.since, ''], show) };
    },
  }),
];

/** Names the checks behind the votes of the rows; null for those that are not kept. */
async function checkIds(
  sql: Sql,
  monitorId: string,
  rows: readonly VerdictRow[],
): Promise<(region: string, asOf: number) => string | null> {
  const votes = rows.flatMap(row => Object.entries(row.ballots ?? {}));
  const wanted = new Map(votes.map(([region, { as_of: asOf }]) => [`${region} ${asOf}`, { region, asOf }]));
  const checks = await findChecksOf(
    sql,
    monitorId,
    [...wanted.values()].filter(({ asOf }) => asOf > 0),
  );
  const ids = new Map(checks.map(check => [`${check.region} ${check.as_of}`, resultId(check)]));
  return (region, asOf) => ids.get(`${region} ${asOf}`) ?? null;
}
