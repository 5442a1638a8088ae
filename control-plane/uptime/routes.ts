import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { listIncidentStarts } from '../incidents/store.ts';
import { revivalDays } from '../monitors/monitor.ts';
import { monitorParams } from '../monitors/routes.ts';
import { hasHistory } from '../monitors/store.ts';
import { listChanges } from '../verdicts/store.ts';
import { readUptimeRange } from './range.ts';
import { uptimeReport, uptimeSchema } from './report.ts';
import { listHours } from './store.ts';

export const uptimeEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/monitors/{id}/uptime',
    summary: 'Uptime by day or hour; of a deleted monitor for 30 days',
    tag: 'Checks',
    scope: 'monitors:read',
    params: monitorParams,
    query: z.strictObject({
      granularity: z.enum(['day', 'hour']).optional(),
      from: z.string().max(64).optional(),
      to: z.string().max(64).optional(),
    }),
    answers: { 200: uptimeSchema },
    handle: async ({ sql, caller, params, query, nowMs }) => {
      const range = readUptimeRange(query, nowMs);
      if (!(await hasHistory(sql, caller.projectId, params.id, nowMs - revivalDays * 86_400_000)))
        throw new Problem('not_found');
      const [from = nowMs] = range.starts;
      const until = range.bounds.at(-1) ?? nowMs;
      const rows = await listChanges(sql, params.id, from, until);
      const hours = await listHours(sql, params.id, from, until);
      const starts = await listIncidentStarts(sql, params.id, from, until);
      return { status: 200, body: uptimeReport(range, rows, hours, starts) };
    },
  }),
];
