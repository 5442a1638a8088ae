import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** CPU seconds, user and system, of a process and of its children: those that live and those that ended and were waited for. */
export function cpuSecondsOf(pid: number): number {
  const own = readStat(pid);
  const living = childrenOf(pid).reduce((sum, child) => sum + (readStat(child)?.own ?? 0), 0);
  return ((own?.own ?? 0) + (own?.ended ?? 0) + living) / ticksPerSecond;
}

/** Direct children that live now. */
export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter(candidate => readStat(candidate)?.parent === pid);
}

function readStat(pid: number): { parent: number; own: number; ended: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold spaces and brackets: fields are counted from its end.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
      at => fields[at],
    );
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return null;
  }
}
