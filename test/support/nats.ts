import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import got from 'got';
import type { NatsSettings } from '#control-plane/operations/intake/settings.ts';
import { stateFolder } from '#shared/state-folder.ts';
import { until } from './control-plane.ts';
import { fixedPort } from './fixed-port.ts';
import { natsBinary } from './nats-binary.ts';

/** NATS servers on loopback that form a cluster; one alone by default. */
export type TestNats = AsyncDisposable & {
  settings: NatsSettings;
  /** Ends a server as a crash would. */
  kill(server?: number): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT', server?: number): void;
  start(server?: number): Promise<void>;
  /** Of the servers that run. */
  pids(): number[];
};

type Options = {
  servers?: number;
  sync?: 'always' | '2m';
  streamBytes?: number;
  storeBytes?: number;
  /** Where the last server keeps its streams, if not beside the others. */
  lastFolder?: string | undefined;
};
type Server = { port: number; monitor: number; route: number; child: ChildProcess | null };

const restartMs = 60_000;

export async function startNats(options: Options = {}): Promise<TestNats> {
  const { servers: count = 1, sync = 'always', streamBytes = 16 * 1024 * 1024, storeBytes = 16 * 1024 ** 3 } = options;
  const { lastFolder } = options;
  const program = await natsBinary(process.env.TEST_COMPOSE_DIR ?? join(stateFolder(process.env), 'server'));
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-nats-'));
  const servers: Server[] = [];
  for (let index = 0; index < count; index++) {
    const [port, monitor, route] = [await fixedPort(), await fixedPort(), await fixedPort()];
    servers.push({ port, monitor, route, child: null });
  }
  const storeOf = (index: number) =>
    index === count - 1 && lastFolder !== undefined ? lastFolder : join(folder, `${index}`);
  const routes = servers.map(({ route }) => `nats://127.0.0.1:${route}`);
  for (const [index, { port, monitor, route }] of servers.entries()) {
    const cluster = `cluster { name: test, listen: "127.0.0.1:${route}", routes: [${routes.join()}] }\n`;
    await writeFile(
      join(folder, `${index}.conf`),
      `server_name: "test-${index}"
listen: "127.0.0.1:${port}"
http: "127.0.0.1:${monitor}"
jetstream { store_dir: "${storeOf(index)}", sync_interval: ${sync}, max_file_store: ${storeBytes} }
${count > 1 ? cluster : ''}`,
    );
  }
  const start = async (index = 0) => {
    const server = at(servers, index);
    let startedAt = performance.now();
    await until(async () => {
      // A server that was killed while its peers stood still has stayed unhealthy for two minutes, once in many runs.
      if (performance.now() - startedAt > restartMs) await kill(index);
      // It ends at once if something else took one of its ports meanwhile, such as the end of a passing connection.
      if (!isRunning(server.child)) {
        startedAt = performance.now();
        server.child = spawn(program, ['-c', join(folder, `${index}.conf`)], { stdio: 'ignore' });
      }
      return await isHealthy(server.monitor);
    }, true);
  };
  const kill = async (index = 0) => {
    const { child } = at(servers, index);
    if (!isRunning(child)) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const stop = async () => {
    await Promise.all(servers.map((_, index) => kill(index)));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(servers.map((_, index) => start(index)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    settings: {
      connection: { servers: servers.map(({ port }) => `127.0.0.1:${port}`) },
      monitorUrls: servers.map(({ monitor }) => `http://127.0.0.1:${monitor}`),
      replicas: count,
      streamBytes,
      prefix: 'test',
    },
    start,
    kill,
    signal: (name, index = 0) => void at(servers, index).child?.kill(name),
    pids: () => servers.flatMap(({ child }) => child?.pid ?? []),
    [Symbol.asyncDispose]: stop,
  };
}

function isRunning(child: ChildProcess | null): child is ChildProcess {
  return child !== null && child.exitCode === null && child.signalCode === null;
}

function at(servers: readonly Server[], index: number): Server {
  const server = servers[index];
  if (server === undefined) throw new Error(`there is no server ${index}`);
  return server;
}

/** A server of a cluster is healthy before its streams have a leader. */
async function isHealthy(monitor: number): Promise<boolean> {
  const url = `http://127.0.0.1:${monitor}/healthz`;
  return got(url, { retry: { limit: 0 }, timeout: { request: 1000 } }).then(
    () => true,
    () => false,
  );
}
