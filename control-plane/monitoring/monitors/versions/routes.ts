import { z } from 'zod';
import { type Endpoint, endpoint } from '../../../platform/http/endpoint/endpoint.ts';
import { listOf, type Page, pageInPortions, pageParameters } from '../../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { auditSchema, viewAudit } from '../../../platform/projects/audit.ts';
import { listAudit } from '../../../platform/projects/audit-store.ts';
import type { MonitorServices } from '../configure.ts';
import { monitorParams } from '../routes.ts';
import { findMonitor } from '../store.ts';
import { listVersionsAt } from './store.ts';

const changeSchema = auditSchema
  .extend({
    config_version: z
      .int()
      .nullable()
      .describe('Version of the settings that the change made; null if it made none, or if it is no longer stored.'),
    drops_votes: z.boolean().nullable().describe('Whether votes from before the change stopped counting.'),
  })
  .meta({ title: 'MonitorChange' });

export function monitorVersionEndpoints({ keyring }: Pick<MonitorServices, 'keyring'>): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v0/monitors/{id}/versions',
      summary: 'List the changes of a monitor: who changed what, and the versions they made, newest first',
      tag: 'Monitors',
      scope: 'monitors:read',
      secondScope: 'audit:read',
      params: monitorParams,
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(changeSchema) },
      handle: async ({ sql, caller, params, query }) => {
        const list = `versions of ${params.id}`;
        if ((await findMonitor(sql, keyring, caller.projectId, params.id)) === null) throw new Problem('not_found');
        const filter = { subject: params.id, actor: null, actions: null, fromMs: null, toMs: null };
        const monitor = { projectId: caller.projectId, monitorId: params.id };
        const read = async (page: Page) => {
          const rows = await listAudit(sql, caller.projectId, filter, page);
          const instants = rows.map(row => row.at);
          const versions = await listVersionsAt(sql, monitor, instants);
          return rows.map(row => ({ row, version: versions.find(({ at }) => at === row.at) }));
        };
        const body = await pageInPortions(read, {
          name: list,
          query,
          keyOf: ({ row }) => [row.at, row.id],
          show: ({ row, version: { config_version = null, drops_votes = null } = {} }) => {
            return { ...viewAudit(row), config_version, drops_votes };
          },
        });
        return { status: 200, body };
      },
    }),
  ];
}
