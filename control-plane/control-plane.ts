import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { ControlPlaneConfig } from './config.ts';
import { openIntake } from './operations/intake/open.ts';
import { applyFirstSetup } from './operations/setup/first-setup.ts';
import { DatabaseClock } from './platform/db/clock.ts';
import { addDatabaseMetrics } from './platform/db/database-metrics.ts';
import { createPools, type Pools } from './platform/db/pool.ts';
import { sessionName } from './platform/db/session.ts';
import { sqlOf } from './platform/db/sql.ts';
import { waitForDatabase } from './platform/db/wait-for-database.ts';
import { createFailureReporter, reportFailuresOf } from './platform/failures/reporter.ts';
import type { Endpoint } from './platform/http/endpoint/endpoint.ts';
import { createMetrics } from './platform/http/metrics.ts';
import { metricsExposure } from './platform/http/metrics-exposure.ts';
import { version } from './platform/http/version.ts';
import { createKeyring } from './platform/secrets/keyring.ts';
import { startTimers } from './platform/timers/start.ts';
import { timerServices } from './platform/timers/timer-services.ts';
import { Gatekeeper } from './publishing/status-pages/gate/gatekeeper.ts';
import { OwnHosts } from './publishing/status-pages/hosts/own-host.ts';
import { PublishedPages } from './publishing/status-pages/serve/published-pages.ts';
import { openHealth } from './roles/api.ts';
import { openFrontRole } from './roles/front.ts';
import { openGatewayRole } from './roles/gateway.ts';
import { defaultHeaders, openHttpServer } from './roles/http-server.ts';
import type { RoleServices } from './roles/role.ts';
import { openStorage } from './roles/storage.ts';
import { transactionHooks } from './roles/wings.ts';
import { openWorkerRole } from './roles/worker.ts';

/** One running replica. */
export type RunningControlPlane = {
  url: string;
  port: number;
  endpoints: readonly Endpoint[];
  pools: Pools;
  /** Disconnects agents, commits queued results, finishes open requests and stops. Idempotent. */
  stop(): Promise<void>;
};

const clockEveryMs = 10_000;

/**
 * The composition root: listens, migrates, and opens its roles. While the database cannot be reached it waits, and
 * serves the status pages it has on disk. Throws if the port is already in use or the database refuses us. What it
 * opens is stopped in the reverse order, also if it fails half way. Without a clock of the caller's it runs on the
 * database's.
 */
export async function startControlPlane(
  config: ControlPlaneConfig,
  log: Logger,
  clock: Clock = new DatabaseClock(),
): Promise<RunningControlPlane> {
  await using opening = new AsyncDisposableStack();
  const exposure = metricsExposure(config);
  if (exposure !== null) log.warn(exposure);
  const pools = createPools(config.databaseUrl, log, sessionName(version, config.roles));
  opening.defer(() => pools.end());
  const keyring = createKeyring(config.secretsKeys);
  const pages = new PublishedPages(pools.background, keyring, config.pagesDir, log);
  pools.server.onChange(() => pages.distrustRevisions());
  if (config.roles.includes('front')) await pages.load();
  const address = { host: config.host, port: config.port, baseUrl: config.publicUrl };
  const { trustedProxies } = config;
  const serving = { pages, baseUrl: config.publicUrl, trustedProxies, defaults: defaultHeaders(config.publicUrl) };
  const gatekeeper = new Gatekeeper({ ...serving, keyring, now: () => clock.now() });
  const ownHosts = new OwnHosts({ ...serving, gatekeeper });
  const server = await openHttpServer(address, pages, { trustedProxies, gatekeeper, ownHosts });
  opening.defer(() => server.close());

  const timing = timerServices(sqlOf(pools.background), clock, log);
  const storage = await openStorage(config, pools, clock, log);
  if (clock instanceof DatabaseClock) {
    const sql = sqlOf(pools.front);
    for (let attempt = 0; attempt < 3 && !(await clock.measure(sql)); attempt++);
    const timer = { name: 'clock', everyMs: clockEveryMs, run: () => clock.measure(sql) };
    opening.use(startTimers([timer], timing));
  }
  const { firstSetup } = config;
  if (firstSetup !== null)
    await waitForDatabase(() => applyFirstSetup(pools.background, firstSetup, clock.now(), log), log);
  const metrics = createMetrics();
  addDatabaseMetrics(metrics.registry, pools, clock);
  const { node, tz = 'none' } = process.versions;
  metrics.build.set({ version, node, tz }, 1);
  metrics.storage.set({ edition: storage.edition }, 1);
  for (const role of config.roles) metrics.roles.set({ role }, 1);
  reportFailuresOf(pools, createFailureReporter(log, metrics.failures));
  const { series } = storage;
  const intake = opening.use(await openIntake(config.nats, { pools, series, clock, log, metrics }));
  const hooks = transactionHooks(metrics);
  const common = {
    config,
    pools,
    storage,
    series,
    keyring,
    timing,
    hooks,
    pages,
    gatekeeper,
    server,
    intake,
    clock,
    log,
    metrics,
  };
  const services: RoleServices = { ...common, writers: new Map() };

  // Stopped in the reverse order: agents first, then callers, then what happens in the background.
  if (config.roles.includes('worker')) opening.use(openWorkerRole(services));
  const front = config.roles.includes('front') ? opening.use(await openFrontRole(services)) : null;
  if (config.roles.includes('gateway')) opening.use(await openGatewayRole(services));
  server.open(front?.handler ?? openHealth(services));
  const { port } = server;
  const { edition } = storage;
  log.info({ port, roles: config.roles, edition, version, node: process.version }, 'control plane is listening');

  const running = opening.move();
  let stopped: Promise<void> | null = null;
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    port,
    endpoints: front?.endpoints ?? [],
    pools,
    stop: () => {
      stopped ??= running.disposeAsync().then(() => log.info('control plane stopped'));
      return stopped;
    },
  };
}
