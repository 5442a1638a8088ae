import { readdir, readFile, readlink } from 'node:fs/promises';
import { commandLine } from '../embedded-postgres/process-identity.ts';

const commandLengthMax = 80;

/** Who listens on a TCP port of this machine: ` by process 42 (nginx: master)`; empty if we may not see it. */
export async function portHolder(port: number): Promise<string> {
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const inode of listeningInodes(await readFile(table, 'utf8').catch(() => ''), port)) inodes.add(inode);
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name));
  const isHolder = await Promise.all(pids.map(pid => holdsOneOf(pid, inodes)));
  const pid = pids.find((_, index) => isHolder[index] === true);
  if (pid === undefined) return '';
  return ` by process ${pid} (${(await commandLine(Number(pid))).trim().slice(0, commandLengthMax)})`;
}

/** The sockets that listen on a port, from a table of /proc/net. */
function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap(line => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(suffix) && state === '0A' && inode !== undefined ? inode : [];
  });
}

async function holdsOneOf(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  for (const name of await readdir(folder).catch(() => [])) {
    const target = await readlink(`${folder}/${name}`).catch(() => '');
    if (inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '')) return true;
  }
  return false;
}
