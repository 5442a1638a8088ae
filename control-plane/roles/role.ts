import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { ControlPlaneConfig } from '../config.ts';
import type { Broker } from '../operations/intake/broker.ts';
import type { Pools } from '../platform/db/pool.ts';
import type { Metrics } from '../platform/http/metrics.ts';
import type { Keyring } from '../platform/secrets/keyring.ts';
import type { PublishedPages } from '../publishing/status-pages/serve/published-pages.ts';
import type { HttpServer } from './http-server.ts';
import type { Storage } from './storage.ts';
import type { TransactionHooks } from './workflow.ts';

/** What every role is built from. */
export type RoleServices = {
  config: ControlPlaneConfig;
  pools: Pools;
  storage: Storage;
  keyring: Keyring;
  hooks: TransactionHooks;
  pages: PublishedPages;
  server: HttpServer;
  /** Where results and events wait until they are stored; null if they are stored at once. */
  broker: Broker | null;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** For /readyz: by the name of what is written, how long the oldest of it has waited for its commit, in ms. */
  writers: Map<string, () => number>;
};
