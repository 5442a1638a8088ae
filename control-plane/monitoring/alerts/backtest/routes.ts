import { type Endpoint, endpoint } from '../../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { MonitorServices } from '../../monitors/configure.ts';
import { monitorParams } from '../../monitors/routes.ts';
import { findMonitor } from '../../monitors/store.ts';
import { validateTriedPatch } from '../../monitors/validate.ts';
import { backtestAnswerSchema, backtestSchema } from './backtest.ts';
import { runBacktest } from './run.ts';

export function backtestEndpoints(services: Pick<MonitorServices, 'keyring' | 'meter'>): readonly Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/v0/monitors/{id}/backtest',
      summary: 'Re-evaluate the stored results of a monitor with other settings',
      tag: 'Monitors',
      scope: 'monitors:write',
      pool: 'reports',
      params: monitorParams,
      body: backtestSchema,
      check: async ({ changes }, { sql, caller, params }) =>
        changes === undefined ? [] : validateTriedPatch(sql, services, { ...caller, id: params.id }, changes),
      answers: { 200: backtestAnswerSchema },
      changesNothing: () => true,
      handle: async ({ sql, caller, params, body, nowMs }) => {
        const found = await findMonitor(sql, services.keyring, caller.projectId, params.id);
        if (found === null) throw new Problem('not_found');
        const request = { changes: body.changes, from: body.from, to: body.to, partial: body.partial };
        return { status: 200, body: await runBacktest(sql, found.monitor, request, nowMs) };
      },
    }),
  ];
}
