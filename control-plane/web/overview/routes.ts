import { z } from 'zod';
import { dayMs } from '#shared/duration.ts';
import { regionSchema } from '../../monitoring/agents/agent.ts';
import { listRegions } from '../../monitoring/agents/store.ts';
import { monitorStatuses } from '../../monitoring/monitors/monitor.ts';
import { allows } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { countOverview } from './store.ts';

const count = z.int().min(0);
const byStatus = z.object(Object.fromEntries(monitorStatuses.map(status => [status, count])));
const regionsMax = 200;
/** Deliveries that are looked at: a flood of them must not make the overview slow. */
const countedMax = 1000;

const overviewSchema = z
  .object({
    monitors: byStatus.describe('Number of monitors by status.'),
    in_maintenance: byStatus.describe('Monitors in a maintenance window by status, also counted in `monitors`.'),
    alerts: z
      .object({
        open: count.describe('Number of open alerts, without those whose notifications are delayed.'),
        acknowledged: count,
        held: count.describe('Number of open alerts whose notifications are delayed by maintenance.'),
      })
      .nullable()
      .describe('Number of alerts by state; null without the scope `alerts:read`.'),
    incidents: z
      .object({ unresolved: count })
      .nullable()
      .describe('Number of incidents; null without the scope `incidents:read`.'),
    deliveries: z
      .object({ failed: count, held: count })
      .nullable()
      .describe(`Deliveries of the last 24 hours by state, the newest ${countedMax}; null without \`incidents:read\`.`),
    regions: z.array(regionSchema),
  })
  .meta({ title: 'Overview' });

export const overviewEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/overview',
    summary: 'Get how many monitors, alerts, incidents and deliveries there are by state, and the regions',
    tag: 'Overview',
    scope: 'monitors:read',
    answers: { 200: overviewSchema },
    handle: async ({ sql, caller, nowMs }) => {
      const counted = await countOverview(sql, caller.projectId, { nowMs, sinceMs: nowMs - dayMs, countedMax });
      const regions = await listRegions(sql, caller.projectId, { limit: regionsMax - 1, after: null });
      const seesAlerts = allows(caller.scopes, 'alerts:read');
      const seesIncidents = allows(caller.scopes, 'incidents:read');
      const body: z.infer<typeof overviewSchema> = {
        monitors: complete(counted.monitors),
        in_maintenance: complete(counted.in_maintenance),
        alerts: seesAlerts
          ? { open: counted.alerts_open, acknowledged: counted.alerts_acknowledged, held: counted.alerts_held }
          : null,
        incidents: seesIncidents ? { unresolved: counted.incidents_unresolved } : null,
        deliveries: seesIncidents ? { failed: counted.deliveries_failed, held: counted.deliveries_held } : null,
        regions,
      };
      return { status: 200, body };
    },
  }),
];

function complete(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(monitorStatuses.map(status => [status, counts[status] ?? 0]));
}
