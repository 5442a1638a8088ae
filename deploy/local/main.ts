import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import got from 'got';
import { EmbeddedError } from '#control-plane/db/embedded/failure.ts';
import { migrate } from '#control-plane/db/migrate.ts';
import { ConfigError } from '#shared/env.ts';
import { type Child, startChild } from './child.ts';
import { type LocalConfig, readConfig } from './config.ts';
import { type KeptDatabase, keepDatabase } from './kept-database.ts';
import { LocalError } from './local-error.ts';
import { isPortTaken } from './port.ts';
import { makeSamplePage } from './sample-page.ts';
import { makeSampleShop } from './sample-shop.ts';
import { keepSecretKeys, localApi, localRegions, makeFirstMonitor, setUp } from './setup.ts';
import { writeState } from './state-file.ts';
import { summary } from './summary.ts';

// `npm start`: database, control plane and three agents on this machine, until Ctrl-C.

const startedAt = performance.now();
const say = (line: string) =>
  process.stdout.write(`[${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${line}\n`);
const running: { stop(): Promise<void> }[] = [];
let stopping: Promise<void> | null = null;

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    if (stopping !== null) return say('stopping already, a moment please');
    say('stopping');
    void stop().then(() => process.exit(0));
  });
}

try {
  await start(readConfig(process.env));
} catch (error) {
  const known = error instanceof ConfigError || error instanceof EmbeddedError || error instanceof LocalError;
  if (stopping === null) console.error(known ? (error as Error).message : error);
  await stop();
  process.exit(1);
}

async function start(config: LocalConfig): Promise<void> {
  const { dataDir, port } = config;
  await untilPortIsFree(port);
  const database = config.databaseUrl === null ? await openDatabase(config) : null;
  const databaseUrl = config.databaseUrl ?? database?.url ?? '';
  const secretsKeys = config.inherited.SECRETS_KEYS ?? (await keepSecretKeys(dataDir));
  const { edition, applied } = await migrate({ connectionString: databaseUrl, storage: 'auto', log: () => {} });
  say(
    `database is ready: ${edition === 'plain' ? 'plain PostgreSQL' : `TimescaleDB (${edition})`}${applied > 0 ? `, ${applied} migrations applied` : ''}`,
  );
  const credentials = await setUp(dataDir, databaseUrl);
  if (isStopping()) return;

  const baseUrl = `http://127.0.0.1:${port}`;
  const common = { PUBLIC_URL: `http://localhost:${port}`, ...config.inherited };
  running.push(
    await child('control plane', 'control-plane/main.ts', dataDir, {
      ...common,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      HOST: '127.0.0.1',
      SECRETS_KEYS: secretsKeys,
      PAGES_DIR: join(dataDir, 'pages'),
      OUTBOUND_ADDRESS_POLICY: config.inherited.OUTBOUND_ADDRESS_POLICY ?? 'loopback',
    }),
  );
  await untilReady(baseUrl);
  say(`control plane answers on http://localhost:${port}`);
  for (const region of localRegions) {
    const env = {
      ...common,
      CONTROL_PLANE_URL: baseUrl,
      AGENT_SECRET: credentials.agents[region],
      DATA_DIR: join(dataDir, 'agents', region),
      ADDRESS_POLICY: 'loopback',
    };
    running.push(await child(`agent ${region}`, 'agent/main.ts', dataDir, env));
  }
  await makeFirstMonitor(dataDir, baseUrl, credentials);
  await makeSamplePage(dataDir, databaseUrl, baseUrl, credentials);
  const sample = await makeSampleShop(dataDir, credentials.project_id, localApi(baseUrl, credentials.token));
  await untilOnline(baseUrl, credentials.token);
  say(`three agents are online: ${localRegions.join(', ')}`);
  const local = {
    base_url: `http://localhost:${port}`,
    token: credentials.token,
    project_id: credentials.project_id,
    database_url: databaseUrl,
  };
  await writeState(join(dataDir, 'local.json'), local);
  if (!isStopping()) process.stdout.write(summary(local, dataDir, sample));
}

/** Programs of a launcher that was killed end by themselves within seconds; anything else keeps the port. */
async function untilPortIsFree(port: number): Promise<void> {
  const until = performance.now() + 10_000;
  for (let told = false; await isPortTaken(port); told = true) {
    if (isStopping()) return;
    if (performance.now() > until)
      throw new LocalError(
        `Port ${port} is in use: end what listens there, or choose another with PORT=8090 npm start`,
      );
    if (!told) say(`port ${port} is in use, waiting a moment`);
    await new Promise(resolve => setTimeout(resolve, 250));
  }
}

async function openDatabase(config: LocalConfig): Promise<KeptDatabase> {
  const timescale = config.requireTimescale ? 'require' : 'auto';
  const database = await keepDatabase({ dataDir: config.dataDir, timescale, progress: say }, say);
  running.push(database);
  if (database.adopted) say('took over the database of an earlier start');
  if (database.notice !== null) say(database.notice);
  return database;
}

function child(
  title: string,
  script: string,
  dataDir: string,
  env: Record<string, string | undefined>,
): Promise<Child> {
  const logFile = join(dataDir, 'logs', `${title.replaceAll(' ', '-')}.log`);
  return startChild({ title, script: fileURLToPath(new URL(`../../${script}`, import.meta.url)), env, logFile, say });
}

async function untilReady(baseUrl: string): Promise<void> {
  const until = performance.now() + 60_000;
  while (performance.now() < until && !isStopping()) {
    const ready = await got(`${baseUrl}/readyz`, {
      retry: { limit: 0 },
      timeout: { request: 2000 },
      throwHttpErrors: false,
    }).then(
      answer => answer.statusCode === 200,
      () => false,
    );
    if (ready) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('the control plane did not become ready within a minute: see its log');
}

async function untilOnline(baseUrl: string, token: string): Promise<void> {
  const until = performance.now() + 30_000;
  while (performance.now() < until && !isStopping()) {
    const { data } = await got(`${baseUrl}/v0/agents?limit=200`, {
      headers: { authorization: `Bearer ${token}` },
    }).json<{ data: { state: string }[] }>();
    if (data.filter(agent => agent.state === 'online').length >= localRegions.length) return;
    await new Promise(resolve => setTimeout(resolve, 200));
  }
  throw new Error('the agents did not come online within 30 seconds: see their logs');
}

/** Agents first, the database last. */
function stop(): Promise<void> {
  stopping ??= (async () => {
    const [database, controlPlane, ...agents] =
      running[0] !== undefined && 'adminUrl' in running[0] ? running : [undefined, ...running];
    await Promise.all(agents.map(agent => agent?.stop()));
    await controlPlane?.stop();
    await database?.stop();
    say('stopped');
  })();
  return stopping;
}

function isStopping(): boolean {
  return stopping !== null;
}
