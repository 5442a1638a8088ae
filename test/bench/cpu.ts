import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * CPU seconds, user and system, of a process and its children: living ones, and those that ended and were waited for.
 */
export function cpuSecondsOf(pid: number): number {
  const stat = readStat(pid);
  const living = childrenOf(pid).reduce((sum, child) => sum + (readStat(child)?.used ?? 0), 0);
  return ((stat?.used ?? 0) + (stat?.ended ?? 0) + living) / ticksPerSecond;
}

/** The pids of a process's direct children. */
export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter(candidate => readStat(candidate)?.parent === pid);
}

function readStat(pid: number): { parent: number; used: number; ended: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may contain spaces and brackets, so fields are counted from its end.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      index => fields[index],
    );
    return { parent, used: user + system, ended: endedUser + endedSystem };
  } catch {
    return null;
  }
}
