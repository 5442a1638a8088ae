import { accessOperations } from './access.ts';
import { configurationOperations } from './configuration.ts';
import { deliveryOperations } from './delivery.ts';
import { monitoringOperations } from './monitoring.ts';
import { publishingOperations } from './publishing.ts';

/** What each operation does beyond its summary, by name. */
export const operationWords: Readonly<Record<string, string>> = {
  ...accessOperations,
  ...monitoringOperations,
  ...publishingOperations,
  ...deliveryOperations,
  ...configurationOperations,
};
