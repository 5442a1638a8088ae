import type { AddressPolicy } from '#shared/network/guard.ts';
import type { IngestServices } from '../analytics/events/ingest.ts';
import { eventEndpoints } from '../analytics/events/routes.ts';
import { flowEndpoints } from '../analytics/flows/routes.ts';
import { impactEndpoints } from '../analytics/impact/routes.ts';
import type { ReleaseServices } from '../analytics/releases/post-release.ts';
import { releaseEndpoints } from '../analytics/releases/routes.ts';
import { deliveryEndpoints } from '../delivery/notifications/routes.ts';
import { slackEndpoints } from '../delivery/notifications/slack/routes.ts';
import { webhookEndpoints } from '../delivery/notifications/webhooks/routes.ts';
import { agentEndpoints } from '../monitoring/agents/routes.ts';
import { backtestAnswerSchema } from '../monitoring/alerts/backtest/backtest.ts';
import { backtestDay } from '../monitoring/alerts/backtest/day.ts';
import { backtestEndpoints } from '../monitoring/alerts/backtest/routes.ts';
import { alertEndpoints } from '../monitoring/alerts/routes.ts';
import { checkEndpoints } from '../monitoring/checks/routes.ts';
import { componentEndpoints } from '../monitoring/components/routes.ts';
import { maintenanceActionEndpoints } from '../monitoring/maintenances/action-routes.ts';
import { occurrenceEndpoints } from '../monitoring/maintenances/occurrences/routes.ts';
import { maintenanceEndpoints } from '../monitoring/maintenances/routes.ts';
import { monitorMetricsEndpoints } from '../monitoring/monitor-metrics/routes.ts';
import { bulkEndpoints } from '../monitoring/monitors/bulk/routes.ts';
import { checkNowEndpoints } from '../monitoring/monitors/check-now-routes.ts';
import type { MonitorServices } from '../monitoring/monitors/configure.ts';
import { labelEndpoints } from '../monitoring/monitors/labels/routes.ts';
import { monitorEndpoints } from '../monitoring/monitors/routes.ts';
import { monitorVersionEndpoints } from '../monitoring/monitors/versions/routes.ts';
import { noticeEndpoints } from '../monitoring/notices/routes.ts';
import { probeEndpoints } from '../monitoring/probes/routes.ts';
import type { ProbeServices } from '../monitoring/probes/run.ts';
import { summarise } from '../monitoring/uptime/summary.ts';
import { verdictEndpoints } from '../monitoring/verdicts/routes.ts';
import { alertGroupEndpoints } from '../on-call/acknowledgements/routes.ts';
import { type ChannelEndpointServices, channelEndpoints } from '../on-call/channels/routes.ts';
import { routeEndpoints } from '../on-call/routing/routes.ts';
import { isChannelRouted } from '../on-call/routing/store.ts';
import { type Endpoint, publishing } from '../platform/http/endpoint/endpoint.ts';
import { auditEndpoints } from '../platform/projects/audit-routes.ts';
import { projectEndpoints } from '../platform/projects/routes.ts';
import { incidentEndpoints } from '../publishing/incidents/routes.ts';
import type { PreviewRequest } from '../publishing/status-pages/publish/previewer.ts';
import { statusPageEndpoints } from '../publishing/status-pages/routes.ts';
import { subscriberEndpoints } from '../publishing/subscribers/routes.ts';
import type { SubscriberServices } from '../publishing/subscribers/subscribe.ts';
import { uptimeEndpoints } from '../publishing/uptime/routes.ts';
import { type ChangeServices, changeEndpoints } from '../web/changes/routes.ts';
import { overviewEndpoints } from '../web/overview/routes.ts';
import { wallEndpoints } from '../web/walls/routes.ts';

/** Every endpoint of the API. */
export function allEndpoints(
  services: MonitorServices & {
    baseUrl: string;
    reachable: AddressPolicy;
    /** False without an SMTP server. */
    canMail: boolean;
    preview(request: PreviewRequest): Promise<string>;
    subscribing: SubscriberServices;
    channels: Omit<ChannelEndpointServices, 'isRouted'>;
    probes: ProbeServices;
    ingest: IngestServices;
    releases: ReleaseServices;
    changes: ChangeServices;
  },
): readonly Endpoint[] {
  return [
    ...projectEndpoints,
    ...auditEndpoints,
    ...overviewEndpoints,
    ...changeEndpoints(services.changes),
    ...componentEndpoints,
    ...monitorEndpoints({ ...services, summarise, tryOut: { schema: backtestAnswerSchema, run: backtestDay } }),
    ...monitorVersionEndpoints(services),
    ...labelEndpoints,
    ...bulkEndpoints(services),
    ...probeEndpoints(services.probes),
    ...checkNowEndpoints(services),
    ...checkEndpoints,
    ...verdictEndpoints,
    ...uptimeEndpoints,
    ...monitorMetricsEndpoints(),
    ...alertEndpoints,
    ...backtestEndpoints(services),
    ...alertGroupEndpoints,
    ...noticeEndpoints,
    ...routeEndpoints,
    ...channelEndpoints({ ...services.channels, isRouted: isChannelRouted }),
    ...incidentEndpoints(services).map(publishing),
    ...impactEndpoints,
    ...maintenanceEndpoints.map(publishing),
    ...maintenanceActionEndpoints.map(publishing),
    ...occurrenceEndpoints,
    ...statusPageEndpoints(services),
    ...subscriberEndpoints(services.subscribing),
    ...deliveryEndpoints(services),
    ...webhookEndpoints(services),
    ...slackEndpoints(services),
    ...agentEndpoints,
    ...wallEndpoints(services),
    ...eventEndpoints(services.ingest),
    ...releaseEndpoints(services.releases).map(publishing),
    ...flowEndpoints,
  ];
}
