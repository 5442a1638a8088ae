import type { ControlPlaneConfig } from '../config.ts';
import type { Intake } from '../operations/intake/intake.ts';
import type { SeriesStore } from '../platform/db/series/series.ts';
import type { Keyring } from '../platform/secrets/keyring.ts';
import type { Services } from '../platform/services.ts';
import type { TimerServices } from '../platform/timers/start.ts';
import type { Gatekeeper } from '../publishing/status-pages/gate/gatekeeper.ts';
import type { PublishedPages } from '../publishing/status-pages/serve/published-pages.ts';
import type { HttpServer } from './http-server.ts';
import type { Storage } from './storage.ts';
import type { transactionHooks } from './wings.ts';

/** What every role is built from. */
export type RoleServices = Services & {
  config: ControlPlaneConfig;
  storage: Storage;
  series: SeriesStore;
  keyring: Keyring;
  timing: TimerServices;
  hooks: ReturnType<typeof transactionHooks>;
  pages: PublishedPages;
  gatekeeper: Gatekeeper;
  server: HttpServer;
  intake: Intake;
  /** For /readyz: by the name of what is written, how long the oldest of it has waited for its commit, in ms. */
  writers: Map<string, () => number>;
};
