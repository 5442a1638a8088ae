import type { AddressPolicy } from '#shared/network/guard.ts';
import { type Endpoint, publishing } from '../platform/http/endpoint/endpoint.ts';
import { agentEndpoints } from './agents/routes.ts';
import { backtestAnswerSchema } from './alerts/backtest/backtest.ts';
import { backtestDay } from './alerts/backtest/day.ts';
import { backtestEndpoints } from './alerts/backtest/routes.ts';
import { alertEndpoints } from './alerts/routes.ts';
import { overTimeEndpoints } from './checks/over-time/routes.ts';
import { checkEndpoints } from './checks/routes.ts';
import type { ComponentPages } from './components/pages.ts';
import { componentEndpoints } from './components/routes.ts';
import { importedHistoryEndpoints } from './imported-history/routes.ts';
import { maintenanceActionEndpoints } from './maintenances/action-routes.ts';
import { occurrenceEndpoints } from './maintenances/occurrences/routes.ts';
import type { AnnouncingPages } from './maintenances/pages.ts';
import { maintenanceEndpoints } from './maintenances/routes.ts';
import { bulkEndpoints } from './monitors/bulk/routes.ts';
import { checkNowEndpoints } from './monitors/check-now-routes.ts';
import type { MonitorServices } from './monitors/configure.ts';
import { labelEndpoints } from './monitors/labels/routes.ts';
import { monitorEndpoints } from './monitors/routes.ts';
import { monitorVersionEndpoints } from './monitors/versions/routes.ts';
import { noticeEndpoints } from './notices/routes.ts';
import { probeEndpoints } from './probes/routes.ts';
import type { ProbeServices } from './probes/run.ts';
import { secretEndpoints } from './secrets/routes.ts';
import { signalKeyEndpoints } from './signals/key-routes.ts';
import { summarise } from './uptime/summary.ts';
import { verdictEndpoints } from './verdicts/routes.ts';

export type MonitoringServices = MonitorServices & {
  announcing: AnnouncingPages;
  componentPages: ComponentPages;
  baseUrl: string;
  reachable: AddressPolicy;
  asksRegistries: boolean;
  probes: ProbeServices;
};

/** The API of this wing. */
export function monitoringEndpoints(services: MonitoringServices): readonly Endpoint[] {
  return [
    ...componentEndpoints(services.componentPages),
    ...monitorEndpoints({ ...services, summarise, tryOut: { schema: backtestAnswerSchema, run: backtestDay } }),
    ...monitorVersionEndpoints(services),
    ...labelEndpoints,
    ...bulkEndpoints(services),
    ...probeEndpoints(services.probes),
    ...secretEndpoints(services),
    ...signalKeyEndpoints(services),
    ...checkNowEndpoints(services),
    ...checkEndpoints(services),
    ...overTimeEndpoints,
    ...verdictEndpoints,
    ...importedHistoryEndpoints,
    ...alertEndpoints,
    ...backtestEndpoints(services),
    ...noticeEndpoints,
    ...maintenanceEndpoints(services.announcing).map(publishing),
    ...maintenanceActionEndpoints(services.announcing).map(publishing),
    ...occurrenceEndpoints,
    ...agentEndpoints,
  ];
}
