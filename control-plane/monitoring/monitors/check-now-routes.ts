import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { checkNow, checkNowAnswerSchema, checkNowSchema } from './check-now.ts';
import type { MonitorServices } from './configure.ts';
import { monitorParams } from './routes.ts';

export function checkNowEndpoints(services: MonitorServices): readonly Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/v0/monitors/{id}/check-now',
      summary: 'Check a monitor at once, at most every ten seconds; the checks count like those of its schedule',
      tag: 'Monitors',
      scope: 'monitors:write',
      params: monitorParams,
      body: checkNowSchema,
      answers: { 202: checkNowAnswerSchema },
      handle: async ({ sql, caller, params, body, nowMs }) => {
        const target = { projectId: caller.projectId, id: params.id };
        return { status: 202, body: await checkNow(sql, services, target, body.regions, nowMs) };
      },
    }),
  ];
}
