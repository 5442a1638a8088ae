import { type Clock, systemClock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { type Gateway, openGateway } from './agents/gateway.ts';
import { unpackConfirmations } from './assignments/check-now.ts';
import { Distributor } from './assignments/distribute.ts';
import { addClientRoutes } from './browser-client/routes.ts';
import { createRecorder, type Recorder } from './checks/recorder.ts';
import type { ControlPlaneConfig } from './config.ts';
import { addDashboard } from './dashboard/routes.ts';
import { authorizationOf } from './dashboard/session.ts';
import { listen } from './db/listen.ts';
import { migrate, pendingMigrations } from './db/migrate.ts';
import { createPools, type Pools } from './db/pool.ts';
import { openSeries } from './db/series.ts';
import { sqlOf } from './db/sql.ts';
import { untilReachable } from './db/until-reachable.ts';
import { allEndpoints } from './endpoints.ts';
import { createBodyRooms } from './events/ingest.ts';
import { createLimiter } from './events/limiter.ts';
import { findIngestProject } from './events/store.ts';
import { createEventWriter } from './events/writer.ts';
import { type FrontDoor, openFrontDoor } from './front-door.ts';
import { createApp } from './http/app.ts';
import { limitKey } from './http/caller-address.ts';
import type { Endpoint } from './http/endpoint.ts';
import { createMetrics } from './http/metrics.ts';
import { chargeRequest } from './http/rate-limit.ts';
import { sharedLookup } from './http/shared-lookup.ts';
import { version } from './http/version.ts';
import { authenticate } from './projects/authenticate.ts';
import { createKeyring } from './secrets/keyring.ts';
import { createStages } from './stages.ts';
import { publicPageRoutes } from './status-pages/public-routes.ts';
import { PublishedPages } from './status-pages/published-pages.ts';
import { createAddressHash } from './subscribers/pepper-store.ts';
import { addSubscriberRoutes } from './subscribers/public-routes.ts';
import { startTelling } from './telling.ts';
import { startTimers } from './timers.ts';

/** One running replica. */
export type RunningControlPlane = {
  url: string;
  port: number;
  endpoints: readonly Endpoint[];
  pools: Pools;
  /** Sends agents away, commits what they sent, answers what was asked, and ends. May be called twice. */
  stop(): Promise<void>;
};

const stopRecordingMs = 5000;
/** Sign-ins to the dashboard from one address. */
const signInRate = { perMinute: 10, burst: 20 };

/**
 * The composition root: listens, migrates, and starts the timers. While the database cannot be reached it waits, and serves
 * the status pages it has on disk. Throws when the port cannot be had or the database refuses.
 */
export async function startControlPlane(
  config: ControlPlaneConfig,
  log: Logger,
  clock: Clock = systemClock,
): Promise<RunningControlPlane> {
  const pools = createPools(config.databaseUrl, log);
  const pages = new PublishedPages(pools.background, config.pagesDir, log);
  await pages.load();
  const door = await openFrontDoor({ host: config.host, port: config.port, baseUrl: config.publicUrl }, pages);
  try {
    return await startBehind(door, { config, pools, pages, log, clock });
  } catch (error) {
    await door.close();
    await pools.end();
    throw error;
  }
}

type Ground = { config: ControlPlaneConfig; pools: Pools; pages: PublishedPages; log: Logger; clock: Clock };

async function startBehind(
  door: FrontDoor,
  { config, pools, pages, log, clock }: Ground,
): Promise<RunningControlPlane> {
  const keyring = createKeyring(config.secretsKeys);
  const connectionString = config.databaseUrl;
  const migration = { connectionString, storage: config.storage, log: (line: string) => log.info(line) };
  const { edition } = await untilReachable(() => migrate(migration), log);
  await warnOfBypass(pools, log);
  const metrics = createMetrics();
  metrics.storage.set({ edition }, 1);
  const series = await openSeries(pools.background, sqlOf(pools.background), edition);
  // Another replica may be making the same partitions, or a long reader holds them up.
  await untilReachable(() => series.ensureAhead(clock.now()), log);

  let gateway: Gateway;
  let recorder: Recorder;
  let distributor: Distributor;
  const stages = createStages({
    pool: pools.background,
    clock,
    log,
    metrics,
    baseUrl: config.publicUrl,
    recorder: () => recorder,
    distributor: () => distributor,
  });
  recorder = createRecorder({
    pool: pools.ingest,
    series,
    stages: stages.checks,
    versions: new Map(),
    clock,
    log,
    metrics,
  });
  distributor = new Distributor({ pool: pools.background, gateway: () => gateway, keyring, clock, log });

  const eventWriter = createEventWriter({ pool: pools.ingest, series, clock, log, metrics });
  const ingest = {
    authenticate: sharedLookup(header => authenticate(sqlOf(pools.front), header, clock.now())),
    findProject: sharedLookup(id => findIngestProject(sqlOf(pools.front), id)),
    limiter: createLimiter(sqlOf(pools.front)),
    writer: eventWriter,
    pool: pools.ingest,
    keyring,
    clock,
    rooms: createBodyRooms(),
    trusted: config.trustedProxies,
  };
  await pages.sync();

  const hashAddress = createAddressHash(sqlOf(pools.front), keyring);
  const subscribing = { keyring, hashAddress, stages: stages.subscribers };
  const endpoints = allEndpoints({
    keyring,
    stages: stages.monitors,
    baseUrl: config.publicUrl,
    subscribing,
    ingest,
    releases: { stages: stages.releases, series },
  });
  const secure = config.publicUrl.startsWith('https:');
  const identify = (header: string | undefined) => authenticate(sqlOf(pools.front), header, clock.now());
  const app = createApp(endpoints, {
    pools,
    keyring,
    clock,
    log,
    metrics,
    baseUrl: config.publicUrl,
    version,
    metricsToken: config.metricsToken,
    rateLimit: { perMinute: config.rateLimitPerMinute, burst: config.rateLimitBurst },
    authenticate: headers => identify(authorizationOf(headers, keyring, secure, clock.now())),
    readiness: () => readiness(pools, edition),
    publicRoutes: [
      router =>
        addDashboard(router, {
          keyring,
          clock,
          secure,
          authenticate: identify,
          trustedProxies: config.trustedProxies,
          charge: address => chargeRequest(sqlOf(pools.front), `sign-in ${limitKey(address)}`, signInRate),
        }),
      router =>
        addSubscriberRoutes(router, {
          ...subscribing,
          pools,
          clock,
          trustedProxies: config.trustedProxies,
          canMail: config.smtpUrl !== null,
        }),
      addClientRoutes,
      publicPageRoutes(pages),
    ],
  });
  gateway = openGateway(door.server, {
    pool: pools.front,
    clock,
    log,
    metrics,
    stages: stages.agents,
    baseUrl: config.publicUrl,
  });
  await distributor.refresh();
  door.open(app.callback());
  const { port } = door;
  const listener = listen({
    connectionString: config.databaseUrl,
    log,
    channels: {
      config: () =>
        void distributor.refresh().catch(error => log.warn({ err: error }, 'configuration could not be read')),
      check_now: payload => distributor.confirm(unpackConfirmations(payload)),
      pages: payload =>
        void pages.sync(payload || null).catch(error => log.warn({ err: error }, 'published pages could not be read')),
    },
  });
  const timers = startTimers({
    pools,
    series,
    stages,
    gateway,
    distributor,
    pages,
    baseUrl: config.publicUrl,
    clock,
    log,
    sweepHoldMs: config.sweepHoldSeconds * 1000,
  });
  const notifier = startTelling(config, { pools, keyring, clock, log, metrics });
  log.info({ port, edition, version, node: process.version }, 'control plane is listening');

  const stop = async (): Promise<void> => {
    await gateway.drain();
    await recorder.stop(stopRecordingMs);
    await eventWriter.stop(stopRecordingMs);
    gateway.close();
    await door.close();
    await timers.stop();
    await notifier.stop();
    await listener.close();
    await pools.end();
    log.info('control plane stopped');
  };
  let stopping: Promise<void> | null = null;
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    port,
    endpoints,
    pools,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Row security is the second wall between projects; a superuser walks through it. */
async function warnOfBypass(pools: Pools, log: Logger): Promise<void> {
  const role = await sqlOf(pools.background).row<{ name: string; bypasses: boolean }>(
    'select rolname as name, rolsuper or rolbypassrls as bypasses from pg_roles where rolname = current_user',
  );
  if (role?.bypasses === true)
    log.warn({ role: role.name }, 'the database role passes row security: use one that is no superuser');
}

async function readiness(pools: Pools, edition: string): Promise<{ ready: boolean; checks: Record<string, unknown> }> {
  try {
    const sql = sqlOf(pools.background);
    const pending = await pendingMigrations(text => sql.rows(text));
    return {
      ready: pending.length === 0,
      checks: { database: 'ok', migrations: pending.length === 0 ? 'ok' : pending, storage: edition },
    };
  } catch {
    return { ready: false, checks: { database: 'unavailable', migrations: 'unknown', storage: edition } };
  }
}
