import { z } from 'zod';
import { dayMs } from '#shared/duration.ts';
import { sumDays, sumHours } from '../checks/tally-store.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { listIncidentStarts } from '../incidents/store.ts';
import { listExcluded } from '../memberships/window-store.ts';
import { revivalDays } from '../monitors/monitor.ts';
import { monitorParams } from '../monitors/routes.ts';
import { hasHistory } from '../monitors/store.ts';
import { withWindows } from '../verdicts/spans.ts';
import { listVerdicts } from '../verdicts/store.ts';
import { readUptimeRange } from './range.ts';
import { uptimeReport, uptimeSchema } from './report.ts';

export const uptimeEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/monitors/{id}/uptime',
    summary: 'Get uptime by day or hour; available for 30 days after the monitor is deleted',
    operation: 'getMonitorUptime',
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
      if (!(await hasHistory(sql, caller.projectId, params.id, nowMs - revivalDays * dayMs)))
        throw new Problem('not_found');
      const [from = nowMs] = range.starts;
      const until = range.bounds.at(-1) ?? nowMs;
      const rows = await listVerdicts(sql, params.id, from, until);
      const checks =
        range.granularity === 'hour'
          ? await sumHours(sql, params.id, from, until)
          : await sumDays(sql, params.id, from, from + range.starts.length * dayMs, nowMs);
      const starts = await listIncidentStarts(sql, params.id, from, until);
      const windows = await listExcluded(sql, [params.id], from, until);
      const counted = withWindows(rows, windows.get(params.id) ?? []);
      return { status: 200, body: uptimeReport(range, counted, checks, starts) };
    },
  }),
];
