import { z } from 'zod';
import { dayMs } from '#shared/duration.ts';
import { sumDays, sumHours } from '../../monitoring/checks/roll-up/tally-store.ts';
import { listExcluded } from '../../monitoring/memberships/window-store.ts';
import { revivalDays } from '../../monitoring/monitors/monitor.ts';
import { monitorParams } from '../../monitoring/monitors/routes.ts';
import { hasHistory } from '../../monitoring/monitors/store.ts';
import { readUptimeRange } from '../../monitoring/uptime/range.ts';
import { type ReadRows, readSpans } from '../../monitoring/uptime/read-spans.ts';
import { uptimeReport, uptimeSchema } from '../../monitoring/uptime/report.ts';
import { listVerdicts } from '../../monitoring/verdicts/store.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { listIncidentStarts } from '../incidents/store.ts';

/** A monitor that flaps at each check has some thousand changes a day. */
const portions = { rowsAtOnce: 10_000, rowsMax: 1_000_000 };

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
      const windows = await listExcluded(sql, [params.id], from, until);
      const history = { monitorId: params.id, fromMs: from, untilMs: until };
      const read: ReadRows = (afterMs, limit) => listVerdicts(sql, { ...history, afterMs }, limit);
      const spans = await readSpans(read, windows.get(params.id) ?? [], range.bounds, portions);
      if (spans === null) throw tooManyChanges();
      const checks =
        range.granularity === 'hour'
          ? await sumHours(sql, params.id, from, until)
          : await sumDays(sql, params.id, from, from + range.starts.length * dayMs, nowMs);
      const starts = await listIncidentStarts(sql, params.id, from, until);
      return { status: 200, body: uptimeReport(range, spans, checks, starts) };
    },
  }),
];

function tooManyChanges(): Problem {
  const detail = `the range has more than ${portions.rowsMax} changes of the verdict: ask for a shorter one`;
  return new Problem('invalid_parameter', { detail, errors: [{ parameter: 'from', code: 'out_of_range', detail }] });
}
