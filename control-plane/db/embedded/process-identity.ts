import { readFile } from 'node:fs/promises';
import { runCommand } from './command.ts';

const onLinux = process.platform === 'linux';

/** What tells a process from a later one with the same pid: boot and start time. Null when no such process lives. */
export async function processIdentity(pid: number): Promise<string | null> {
  if (!onLinux) return (await ps(pid, 'lstart=')) || null;
  const [stat, boot] = await Promise.all([readText(`/proc/${pid}/stat`), readText('/proc/sys/kernel/random/boot_id')]);
  // The name in parentheses may hold spaces: the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  return startTicks === undefined || state === 'Z' ? null : `${boot.trim()}:${startTicks}`;
}

/** The command line of a process; empty when it is gone or a zombie. */
export async function commandLine(pid: number): Promise<string> {
  return onLinux ? (await readText(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ') : ps(pid, 'args=');
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function ps(pid: number, column: string): Promise<string> {
  const output = await runCommand('ps', ['-o', column, '-p', String(pid)]).catch(() => '');
  return output.trim();
}
