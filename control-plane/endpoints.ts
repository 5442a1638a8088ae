import type { AddressPolicy } from '#shared/network/guard.ts';
import { alertGroupEndpoints } from './acknowledgements/routes.ts';
import { agentEndpoints } from './agents/routes.ts';
import { backtestAnswerSchema } from './alerts/backtest.ts';
import { backtestDay } from './alerts/backtest-day.ts';
import { backtestEndpoints } from './alerts/backtest-routes.ts';
import { alertEndpoints } from './alerts/routes.ts';
import { type ChangeServices, changeEndpoints } from './changes/routes.ts';
import { type ChannelEndpointServices, channelEndpoints } from './channels/routes.ts';
import { checkEndpoints } from './checks/routes.ts';
import { componentEndpoints } from './components/routes.ts';
import type { IngestServices } from './events/ingest.ts';
import { eventEndpoints } from './events/routes.ts';
import { flowEndpoints } from './flows/routes.ts';
import { type Endpoint, publishing } from './http/endpoint.ts';
import { impactEndpoints } from './impact/routes.ts';
import { incidentEndpoints } from './incidents/routes.ts';
import { maintenanceActionEndpoints } from './maintenances/action-routes.ts';
import { occurrenceEndpoints } from './maintenances/occurrence-routes.ts';
import { maintenanceEndpoints } from './maintenances/routes.ts';
import { monitorMetricsEndpoints } from './monitor-metrics/routes.ts';
import { bulkEndpoints } from './monitors/bulk-routes.ts';
import { checkNowEndpoints } from './monitors/check-now-routes.ts';
import type { MonitorServices } from './monitors/configure.ts';
import { labelEndpoints } from './monitors/label-routes.ts';
import { monitorEndpoints } from './monitors/routes.ts';
import { monitorVersionEndpoints } from './monitors/version-routes.ts';
import { noticeEndpoints } from './notices/routes.ts';
import { deliveryEndpoints } from './notifications/routes.ts';
import { slackEndpoints } from './notifications/slack/routes.ts';
import { webhookEndpoints } from './notifications/webhooks/routes.ts';
import { overviewEndpoints } from './overview/routes.ts';
import { probeEndpoints } from './probes/routes.ts';
import type { ProbeServices } from './probes/run.ts';
import { auditEndpoints } from './projects/audit-routes.ts';
import { projectEndpoints } from './projects/routes.ts';
import type { ReleaseServices } from './releases/post-release.ts';
import { releaseEndpoints } from './releases/routes.ts';
import { routeEndpoints } from './routing/routes.ts';
import { isChannelRouted } from './routing/store.ts';
import type { PreviewRequest } from './status-pages/previewer.ts';
import { statusPageEndpoints } from './status-pages/routes.ts';
import { subscriberEndpoints } from './subscribers/routes.ts';
import type { SubscriberServices } from './subscribers/subscribe.ts';
import { uptimeEndpoints } from './uptime/routes.ts';
import { summarise } from './uptime/summary.ts';
import { verdictEndpoints } from './verdicts/routes.ts';
import { wallEndpoints } from './walls/routes.ts';

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
