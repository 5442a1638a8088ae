import { spawn, spawnSync } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from './control-plane.ts';
import { fixedPort } from './fixed-port.ts';

const program = '/usr/sbin/pgbouncer';
const nobody = 65_534;

/** Whether Debian's PgBouncer is installed. */
export function hasPgBouncer(): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** PgBouncer in front of a database, on loopback; `url` connects through it. Without root it runs as we do. */
export async function startPgBouncer(
  databaseUrl: string,
  settings: { poolMode: 'session' | 'transaction'; ignoresOptions: boolean },
): Promise<AsyncDisposable & { url: string }> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-pooler-'));
  const file = join(folder, 'pgbouncer.ini');
  const listening = await fixedPort();
  await writeFile(
    file,
    `[databases]
pooled = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = any
pool_mode = ${settings.poolMode}
${settings.ignoresOptions ? 'ignore_startup_parameters = options, extra_float_digits' : ''}
`,
  );
  const isRoot = process.getuid?.() === 0;
  // It refuses to run as root.
  if (isRoot) for (const path of [folder, file]) await chown(path, nobody, nobody);
  await chmod(file, 0o600);
  const child = spawn(program, [file], { stdio: 'ignore', ...(isRoot ? { uid: nobody, gid: nobody } : {}) });
  const ended = new Promise(resolve => child.once('exit', resolve));
  const url = `postgres://${username}:any@127.0.0.1:${listening}/pooled`;
  await until(() => answers(url), true);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
