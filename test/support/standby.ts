import { spawn } from 'node:child_process';
import { appendFile, chown, copyFile, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { stopPostmaster } from '#deploy/embedded-postgres/postmaster.ts';
import { errorCode } from '#shared/error-code.ts';
import { until } from './control-plane.ts';
import { fixedPort } from './fixed-port.ts';

/** A PostgreSQL server on loopback: its postmaster, and its URLs as superuser and as the application's role. */
export type Server = { pid: number; adminUrl: string; url: string };

/** A streaming standby. Disposing it stops it. */
export type Standby = Server &
  AsyncDisposable & {
    /** From now on the primary commits only what the standby has on disk. */
    makeSynchronous(): Promise<void>;
    /** How much of the primary's log has not arrived, and how old the last commit is that has. */
    behind(): Promise<{ bytes: number; ms: number }>;
    /** Ends recovery with what has arrived. */
    promote(): Promise<void>;
  };

const slot = 'standby';
const replicationRule = 'host replication all 127.0.0.1/32 scram-sha-256\n';
/** What a base backup leaves out: the log comes by streaming, the rest belongs to the running server. */
const emptyFolders = new Set(['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_stat_tmp', 'pg_subtrans']);
const leftOut = new Set(['postmaster.pid', 'postmaster.opts']);

/**
 * Makes a standby of a running primary in a new folder, by a base backup through SQL, and starts it. It streams through
 * `port`, by default the primary's own. Resolves once it streams.
 */
export async function startStandby(
  primary: Server,
  folder: string,
  port = Number(new URL(primary.adminUrl).port),
): Promise<Standby> {
  const source = String(await ask(primary.adminUrl, 'show data_directory'));
  const { uid, gid } = await stat(source);
  await appendFile(join(source, 'pg_hba.conf'), replicationRule);
  await ask(primary.adminUrl, 'select pg_reload_conf()');
  await backUp(primary.adminUrl, source, folder, { uid, gid });

  const own = await fixedPort();
  const { username, password } = new URL(primary.adminUrl);
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=${slot}`;
  const settings = { port: own, primary_conninfo: conninfo, primary_slot_name: slot, wal_retrieve_retry_interval: 200 };
  const pid = await launch(primary.pid, { source, folder, uid, gid }, settings);
  const adminUrl = atPort(primary.adminUrl, own);
  await until(() => ask(adminUrl, 'select status from pg_stat_wal_receiver').catch(() => null), 'streaming');
  return {
    pid,
    adminUrl,
    url: atPort(primary.url, own),
    makeSynchronous: async () => {
      await ask(primary.adminUrl, `alter system set synchronous_standby_names = '*'`);
      await ask(primary.adminUrl, 'select pg_reload_conf()');
      await until(() => ask(primary.adminUrl, 'select sync_state from pg_stat_replication'), 'sync');
    },
    behind: async () => {
      const received = await ask(adminUrl, 'select pg_last_wal_receive_lsn()');
      const committed = await ask(adminUrl, 'select pg_last_xact_replay_timestamp()::text');
      const bytes = await ask(primary.adminUrl, `select pg_current_wal_lsn() - '${received}'::pg_lsn`);
      const seconds = `extract(epoch from clock_timestamp() - '${committed}'::timestamptz)`;
      return { bytes: Number(bytes), ms: Math.round(1000 * Number(await ask(primary.adminUrl, `select ${seconds}`))) };
    },
    promote: async () => {
      await ask(adminUrl, 'select pg_promote()');
    },
    [Symbol.asyncDispose]: () => stopPostmaster(pid, folder),
  };
}

/** The low-level backup API. The slot keeps the log from the start of the backup on. */
async function backUp(adminUrl: string, source: string, folder: string, owner: Owner): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query('select pg_create_physical_replication_slot($1, true)', [slot]);
    await client.query('select pg_backup_start($1, true)', [slot]);
    await copyFolder(source, folder, owner);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await writeOwned(join(folder, 'backup_label'), rows[0]?.labelfile ?? '', owner);
    await writeOwned(join(folder, 'standby.signal'), '', owner);
  } finally {
    await client.end();
  }
}

type Owner = { uid: number; gid: number };

async function makeOwned(folder: string, { uid, gid }: Owner): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await chown(folder, uid, gid);
}

async function copyFolder(source: string, target: string, owner: Owner): Promise<void> {
  await makeOwned(target, owner);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (leftOut.has(entry.name)) continue;
    if (!entry.isDirectory()) await copyOwned(from, to, owner);
    else if (emptyFolders.has(entry.name)) await makeOwned(to, owner);
    else await copyFolder(from, to, owner);
  }
}

/** A table that is dropped meanwhile is dropped again from the log. */
async function copyOwned(from: string, to: string, { uid, gid }: Owner): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  await chown(to, uid, gid);
}

async function writeOwned(path: string, text: string, { uid, gid }: Owner): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await chown(path, uid, gid);
}

type Cluster = Owner & { source: string; folder: string };

/** Runs the primary's own command on the standby's folder. */
async function launch(
  primaryPid: number,
  { source, folder, uid, gid }: Cluster,
  settings: Record<string, string | number>,
): Promise<number> {
  const [program = '', ...args] = (await readFile(`/proc/${primaryPid}/cmdline`, 'utf8')).split('\0').slice(0, -1);
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = await open(join(folder, '..', 'standby.log'), 'a');
  const child = spawn(program, [...args.map(arg => (arg === source ? folder : arg)), ...options], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    uid,
    gid,
  });
  child.unref();
  await log.close();
  return child.pid ?? 0;
}

/** The first value of the first row; null without one. */
async function ask(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(statement);
    return Object.values(rows[0] ?? {})[0] ?? null;
  } finally {
    await client.end();
  }
}

function atPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
