import { accessOperations } from './operations-of-access.ts';
import { configurationOperations } from './operations-of-configuration.ts';
import { deliveryOperations } from './operations-of-delivery.ts';
import { monitoringOperations } from './operations-of-monitoring.ts';
import { publishingOperations } from './operations-of-publishing.ts';

/** What each operation does beyond its summary, by name. */
export const operationWords: Readonly<Record<string, string>> = {
  ...accessOperations,
  ...monitoringOperations,
  ...publishingOperations,
  ...deliveryOperations,
  ...configurationOperations,
};
