import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { ControlPlaneConfig } from '../config.ts';
import type { Pools } from '../db/pool.ts';
import type { Metrics } from '../http/metrics.ts';
import type { HttpServer } from '../http-server.ts';
import type { Broker } from '../intake/broker.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { PublishedPages } from '../status-pages/published-pages.ts';
import type { Storage } from '../storage.ts';
import type { TransactionHooks } from '../workflow.ts';

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
