import { type ConfigType, configTypes } from '#shared/config-types.ts';
import { channelsKind } from './channels.ts';
import { componentsKind } from './components.ts';
import { flowsKind } from './flows.ts';
import type { ConfigKind } from './kind.ts';
import { maintenancesKind } from './maintenances.ts';
import { monitorsKind } from './monitors.ts';
import { reportsKind } from './reports.ts';
import { routesKind } from './routes.ts';
import { secretsKind } from './secrets.ts';
import { statusPagesKind } from './status-pages.ts';

/** Each type of resource that documents have; a new one is registered here and in `configTypes`. */
export const configKinds: Readonly<Record<ConfigType, ConfigKind>> = {
  secrets: secretsKind,
  channels: channelsKind,
  flows: flowsKind,
  monitors: monitorsKind,
  status_pages: statusPagesKind,
  components: componentsKind,
  routes: routesKind,
  maintenances: maintenancesKind,
  reports: reportsKind,
};

/** In order of writing. */
export const orderedKinds: readonly ConfigKind[] = configTypes.map(type => configKinds[type]);
