import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '#shared/env.ts';

/** The folder of Upquorum's state for this user: `$XDG_STATE_HOME` or `~/.local/state`, as root `/var/lib`. */
export function stateFolder(env: Env, home = homedir(), isRoot = process.getuid?.() === 0): string {
  const chosen = env.XDG_STATE_HOME?.trim();
  if (chosen) return join(chosen, 'upquorum');
  return isRoot ? '/var/lib/upquorum' : join(home, '.local', 'state', 'upquorum');
}
