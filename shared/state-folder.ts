import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './env.ts';

/**
 * The folder of Upquorum's state for this user: `$XDG_STATE_HOME` or `~/.local/state`, as root or without a home
 * `/var/lib`.
 */
export function stateFolder(env: Env, home = findHome(), isRoot = process.getuid?.() === 0): string {
  const chosen = env.XDG_STATE_HOME?.trim();
  if (chosen) return join(chosen, 'upquorum');
  return isRoot || home === null ? '/var/lib/upquorum' : join(home, '.local', 'state', 'upquorum');
}

/** Null for a user id without an account, in a container for instance. */
function findHome(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}
