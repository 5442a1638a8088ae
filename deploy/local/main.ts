import type { SendHandle } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import got from 'got';
import { isHandOver } from '#control-plane/monitoring/agents/hand-over.ts';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { explainStart } from '#control-plane/platform/db/start-error.ts';
import { type WaitReport, waitForDatabase } from '#control-plane/platform/db/wait-for-database.ts';
import { exitProcess } from '#shared/exit-process.ts';
import { wait } from '#shared/wait.ts';
import { requireUnlocked } from '../embedded-postgres/launcher-lock.ts';
import { choosePort, isPortTaken } from '../embedded-postgres/port.ts';
import type { ServerUser } from '../embedded-postgres/system-user.ts';
import { makeCertificate } from './certificate.ts';
import { type Child, type ChildOptions, startChild } from './child.ts';
import { type LocalConfig, readConfig } from './config.ts';
import { LocalError } from './local-error.ts';
import { portHolder } from './port-holder.ts';
import { programUser } from './program-user.ts';
import { createSampleKinds } from './sample-kinds.ts';
import { createSamplePage } from './sample-page.ts';
import { createSampleShop } from './sample-shop.ts';
import { openSampleSite, type SampleSite } from './sample-site.ts';
import { createFirstMonitor, loadSecretKeys, localApi, localRegions, setUp } from './setup.ts';
import { writeState } from './state-file.ts';
import { summary } from './summary.ts';
import { type SupervisedDatabase, superviseDatabase } from './supervised-database.ts';
import { startSampleHeartbeat } from './timed-job.ts';

// `npm start`: runs a database, the control plane and three agents on this machine until Ctrl-C.

/** The gateway is a process of its own: whatever the front and the worker are busy with, checks and alerts go on. */
type Running = {
  database: SupervisedDatabase | null;
  gateway: Child | null;
  front: Child | null;
  agents: Child[];
  site: SampleSite | null;
};

const startedAt = performance.now();
const say = (line: string) =>
  process.stdout.write(`[${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${line}\n`);
const running: Running = { database: null, gateway: null, front: null, agents: [], site: null };
const heartbeat = new AbortController();
let stopping: Promise<void> | null = null;

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    if (stopping !== null) return say('already stopping, please wait');
    say('stopping');
    void stop({ isAsked: true }).then(() => exitProcess(0));
  });
}

// Whoever reads our output may go away.
process.stdout.on('error', () => {});

try {
  await start(readConfig(process.env));
} catch (error) {
  if (stopping === null) console.error(explainStart(error, process.env.LOG_LEVEL === 'debug'));
  await stop({ isAsked: false });
  exitProcess(1);
}

async function start(config: LocalConfig): Promise<void> {
  const { dataDir, port } = config;
  await requireUnlocked(dataDir);
  await waitForPort(port);
  const database = config.databaseUrl === null ? await openDatabase(config) : null;
  const databaseUrl = config.databaseUrl ?? database?.url ?? '';
  const secretsKeys = config.passedThrough.SECRETS_KEYS ?? (await loadSecretKeys(dataDir));
  const migration = { connectionString: databaseUrl, storage: config.storage, log: () => {}, advise: say };
  const { edition, applied } = await waitForDatabase(() => migrate(migration), waitReport());
  const storage = edition === 'plain' ? 'plain PostgreSQL' : `TimescaleDB (${edition})`;
  say(`database is ready: ${storage}${applied > 0 ? `, ${applied} migrations applied` : ''}`);
  const credentials = await setUp(dataDir, databaseUrl);
  await database?.keepEdition();
  const user = await programUser(config, say);
  if (isStopping()) return;

  const baseUrl = `http://127.0.0.1:${port}`;
  const common = { PUBLIC_URL: `http://localhost:${port}`, ...config.passedThrough };
  const gatewayPort = await choosePort(null);
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`;
  const controlPlane = {
    ...common,
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    SECRETS_KEYS: secretsKeys,
    PAGES_DIR: join(dataDir, 'pages'),
    OUTBOUND_ADDRESS_POLICY: config.passedThrough.OUTBOUND_ADDRESS_POLICY ?? config.addressPolicy,
  };
  const gatewayEnv = { ...controlPlane, ROLES: 'gateway', PORT: String(gatewayPort) };
  const options = { dataDir, user };
  running.gateway = await child('gateway', 'control-plane/main.ts', options, gatewayEnv, () => {});
  const frontEnv = { ...controlPlane, ROLES: 'front,worker', PORT: String(port) };
  running.front = await child('control plane', 'control-plane/main.ts', options, frontEnv, handOver);
  await Promise.all([waitForControlPlane(gatewayUrl), waitForControlPlane(baseUrl)]);
  say(`control plane is listening on http://localhost:${port}`);
  // Before the agents, which check it as soon as they are online.
  if (config.addressPolicy === 'loopback') {
    credentials.sample_certificate ??= makeCertificate({ days: 3650 });
    running.site = await openSampleSite(credentials.sample_ports, credentials.sample_certificate);
    credentials.sample_ports = running.site.ports;
  }
  for (const region of localRegions) {
    const env = {
      ...common,
      CONTROL_PLANE_URL: gatewayUrl,
      AGENT_SECRET: credentials.agents[region],
      DATA_DIR: join(dataDir, 'agents', region),
      ADDRESS_POLICY: config.passedThrough.ADDRESS_POLICY ?? config.addressPolicy,
    };
    running.agents.push(await child(`agent ${region}`, 'agent/main.ts', options, env));
  }
  const watchedUrl = config.addressPolicy === 'loopback' ? baseUrl : (config.publicUrl ?? baseUrl).replace(/\/+$/, '');
  await createFirstMonitor(dataDir, { baseUrl, watchedUrl }, credentials);
  await createSamplePage(dataDir, databaseUrl, { baseUrl, watchedUrl }, credentials);
  const { project_id: sampleId, token: sampleToken, link_token } = credentials.sample;
  const sample = await createSampleShop(dataDir, sampleId, localApi(baseUrl, sampleToken));
  await waitForAgents(baseUrl, credentials.token);
  await createSampleKinds(dataDir, { baseUrl, watchedUrl }, credentials, running.site?.ports);
  await startSampleHeartbeat(dataDir, { baseUrl }, credentials, { signal: heartbeat.signal });
  say(`three agents are online: ${localRegions.join(', ')}`);
  const local = {
    base_url: `http://localhost:${port}`,
    token: credentials.token,
    project_id: credentials.project_id,
    sample_token: sampleToken,
    database_url: databaseUrl,
  };
  await writeState(join(dataDir, 'local.json'), local);
  if (!isStopping()) process.stdout.write(summary(local, dataDir, { ...sample, link_token }));
}

/** The programs of a killed launcher stop within seconds; any other program keeps the port. */
async function waitForPort(port: number): Promise<void> {
  const until = performance.now() + 10_000;
  for (let isFirst = true; await isPortTaken(port); isFirst = false) {
    if (isStopping()) return;
    if (performance.now() > until)
      throw new LocalError(
        `Port ${port} is in use${await portHolder(port)}: stop it, or choose another port with PORT=8090 npm start`,
      );
    if (isFirst) say(`port ${port} is in use${await portHolder(port)}, waiting for it`);
    await wait(250);
  }
}

/** Says why the database cannot be reached whenever the reason changes. */
function waitReport(): WaitReport {
  let said = '';
  return {
    warn: ({ reason }) => {
      if (reason !== said) say(`waiting for the database: ${reason}`);
      said = reason;
    },
  };
}

async function openDatabase(config: LocalConfig): Promise<SupervisedDatabase> {
  const insists = config.requireTimescale || config.storage === 'apache';
  const timescale = config.storage === 'plain' ? 'off' : insists ? 'require' : 'auto';
  const database = await superviseDatabase({ dataDir: config.dataDir, timescale, progress: say }, say);
  running.database = database;
  if (database.adopted) say('using the database that an earlier start left running');
  if (database.notice !== null) say(database.notice);
  return database;
}

function child(
  title: string,
  script: string,
  { dataDir, user }: { dataDir: string; user: ServerUser | null },
  env: Record<string, string | undefined>,
  onMessage?: ChildOptions['onMessage'],
): Promise<Child> {
  const logFile = join(dataDir, 'logs', `${title.replaceAll(' ', '-')}.log`);
  return startChild({
    title,
    script: fileURLToPath(new URL(`../../${script}`, import.meta.url)),
    env,
    user,
    logFile,
    say,
    ...(onMessage === undefined ? {} : { onMessage }),
  });
}

/** An agent that came to the public port gets a connection of the gateway, which outlives the front. */
function handOver(message: unknown, handle: SendHandle | undefined): void {
  if (!isHandOver(message) || !(handle instanceof Socket)) return;
  handle.on('error', () => handle.destroy());
  if (running.gateway === null) handle.destroy();
  else running.gateway.pass(message, handle);
}

async function waitForControlPlane(baseUrl: string): Promise<void> {
  const until = performance.now() + 60_000;
  while (performance.now() < until && !isStopping()) {
    const ready = await got(`${baseUrl}/readyz`, {
      retry: { limit: 0 },
      timeout: { request: 2000 },
      throwHttpErrors: false,
    }).then(
      response => response.statusCode === 200,
      () => false,
    );
    if (ready) return;
    await wait(50);
  }
  throw new LocalError('The control plane was not ready after a minute: see its logs');
}

async function waitForAgents(baseUrl: string, token: string): Promise<void> {
  const until = performance.now() + 30_000;
  while (performance.now() < until && !isStopping()) {
    const { data } = await got(`${baseUrl}/v0/agents?limit=200`, {
      headers: { authorization: `Bearer ${token}` },
    }).json<{ data: { state: string }[] }>();
    if (data.filter(agent => agent.state === 'online').length >= localRegions.length) return;
    await wait(200);
  }
  throw new Error('the agents were not online after 30 seconds: see their logs');
}

/**
 * Stops the agents first, so that they can hand over their results, and the database last. After an error it says so
 * only if something was running.
 */
function stop({ isAsked }: { isAsked: boolean }): Promise<void> {
  const isRunning = Object.values(running).some(part => part !== null && (!Array.isArray(part) || part.length > 0));
  stopping ??= (async () => {
    heartbeat.abort();
    await Promise.all(running.agents.map(agent => agent.stop()));
    running.site?.close();
    await running.gateway?.stop();
    await running.front?.stop();
    await running.database?.stop();
    if (isAsked || isRunning) say('stopped');
  })();
  return stopping;
}

function isStopping(): boolean {
  return stopping !== null;
}
