import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { type Gateway, openGateway } from './agents/gateway.ts';
import { unpackConfirmations } from './assignments/check-now.ts';
import { Distributor } from './assignments/distribute.ts';
import { addClientRoutes } from './browser-client/routes.ts';
import { createRecorder, type Recorder } from './checks/recorder.ts';
import type { ControlPlaneConfig } from './config.ts';
import { listen } from './db/listen.ts';
import { migrate, pendingMigrations } from './db/migrate.ts';
import { createPools, type Pools } from './db/pool.ts';
import { openSeries } from './db/series.ts';
import { sqlOf } from './db/sql.ts';
import { allEndpoints } from './endpoints.ts';
import { createLimiter } from './events/limiter.ts';
import { findIngestProject } from './events/store.ts';
import { createEventWriter } from './events/writer.ts';
import { createApp } from './http/app.ts';
import { trustedProxies } from './http/caller-address.ts';
import type { Endpoint } from './http/endpoint.ts';
import { createMetrics } from './http/metrics.ts';
import { answerNodeErrors } from './http/node-errors.ts';
import { sharedLookup } from './http/shared-lookup.ts';
import { authenticate } from './projects/authenticate.ts';
import { createKeyring } from './secrets/keyring.ts';
import { createStages } from './stages.ts';
import { startTimers } from './timers.ts';
import { version } from './version.ts';

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
const bodyBudgetBytes = 256 * 1024 * 1024;

/** The composition root: migrates, listens, and starts the timers. Throws when the port or the database cannot be had. */
export async function startControlPlane(
  config: ControlPlaneConfig,
  log: Logger,
  clock: Clock = systemClock,
): Promise<RunningControlPlane> {
  const keyring = createKeyring(config.secretsKeys);
  const { edition } = await migrate({
    connectionString: config.databaseUrl,
    storage: config.storage,
    log: line => log.info(line),
  });
  const pools = createPools(config.databaseUrl, log);
  await warnOfBypass(pools, log);
  const metrics = createMetrics();
  metrics.storage.set({ edition }, 1);
  const series = await openSeries(pools.background, sqlOf(pools.background), edition);
  await series.ensureAhead(clock.now());

  let gateway: Gateway;
  let recorder: Recorder;
  let distributor: Distributor;
  const stages = createStages({
    pool: pools.background,
    clock,
    log,
    metrics,
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
    budget: { bytesMax: bodyBudgetBytes, bytes: 0 },
    trusted: trustedProxies(config.trustedProxies),
  };
  const endpoints = allEndpoints({
    keyring,
    stages: stages.monitors,
    ingest,
    releases: { stages: stages.releases, series },
  });
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
    addRoutes: addClientRoutes,
    authenticate: header => authenticate(sqlOf(pools.front), header, clock.now()),
    readiness: () => readiness(pools, edition),
  });
  const server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      maxHeaderSize: 16_384,
      // Node's own answer to a missing Host has no body; createApp refuses it.
      requireHostHeader: false,
      // Some clients offer h2c with each request: that is an ordinary request.
      shouldUpgradeCallback: request => request.headers.upgrade?.toLowerCase() === 'websocket',
    },
    app.callback(),
  );
  answerNodeErrors(server, config.publicUrl);
  gateway = openGateway(server, {
    pool: pools.front,
    clock,
    log,
    metrics,
    stages: stages.agents,
    baseUrl: config.publicUrl,
  });
  await distributor.refresh();
  const port = await listenOn(server, config);
  const listener = listen({
    connectionString: config.databaseUrl,
    log,
    channels: {
      config: () =>
        void distributor.refresh().catch(error => log.warn({ err: error }, 'configuration could not be read')),
      check_now: payload => distributor.confirm(unpackConfirmations(payload)),
    },
  });
  const timers = startTimers({
    pools,
    series,
    stages,
    gateway,
    distributor,
    clock,
    log,
    sweepHoldMs: config.sweepHoldSeconds * 1000,
  });
  log.info({ port, edition, version, node: process.version }, 'control plane is listening');

  const stop = async (): Promise<void> => {
    await gateway.drain();
    await recorder.stop(stopRecordingMs);
    await eventWriter.stop(stopRecordingMs);
    gateway.close();
    await closeServer(server);
    await timers.stop();
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

async function listenOn(server: Server, config: ControlPlaneConfig): Promise<number> {
  server.listen(config.port, config.host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Lets running requests end, but not for longer than five seconds. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), 5000);
  await closed;
  clearTimeout(timer);
}
