import { readdir, readFile } from 'node:fs/promises';
import { runCommand } from './command.ts';

const onLinux = process.platform === 'linux';

/** Distinguishes a process from a later one with the same pid: boot and start time. Null if the process has ended. */
export async function processIdentity(pid: number): Promise<string | null> {
  if (!onLinux) return (await ps(pid, 'lstart=')) || null;
  const [stat, boot] = await Promise.all([readText(`/proc/${pid}/stat`), readText('/proc/sys/kernel/random/boot_id')]);
  // The name in parentheses may contain spaces, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  return startTicks === undefined || state === 'Z' ? null : `${boot.trim()}:${startTicks}`;
}

/** The command line of a process; empty if it has ended or is a zombie. */
export async function commandLine(pid: number): Promise<string> {
  return onLinux ? (await readText(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ') : ps(pid, 'args=');
}

/** The command lines of all processes that this one may see, by their ids. */
export async function commandLines(): Promise<Map<number, string>> {
  if (!onLinux) {
    const list = await runCommand('ps', ['-A', '-ww', '-o', 'pid=,args=']);
    return new Map(list.split('\n').map(line => [Number.parseInt(line, 10), line]));
  }
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number);
  return new Map(await Promise.all(pids.map(async pid => [pid, await commandLine(pid)] as const)));
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function ps(pid: number, column: string): Promise<string> {
  const output = await runCommand('ps', ['-o', column, '-p', String(pid)]).catch(() => '');
  return output.trim();
}
