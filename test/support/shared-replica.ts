import { isDeepStrictEqual } from 'node:util';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import { startReplica } from './control-plane.ts';
import { beforeDrop } from './database.ts';

type Changes = Partial<ControlPlaneConfig>;
type Shared = { databaseUrl: string; number: number; changes: Changes; replica: Promise<RunningControlPlane> };

const shared = new Set<Shared>();

/** The replica of all tests of a file that need none of their own: each has its own project. One for each `changes`. */
export function sharedReplica(databaseUrl: string, changes: Changes = {}): Promise<RunningControlPlane> {
  return nth(databaseUrl, 1, changes);
}

/** The shared replica, and another one beside it on the same database. */
export async function sharedPair(
  databaseUrl: string,
  changes: Changes = {},
): Promise<readonly [RunningControlPlane, RunningControlPlane]> {
  return Promise.all([nth(databaseUrl, 1, changes), nth(databaseUrl, 2, changes)]);
}

function nth(databaseUrl: string, number: number, changes: Changes): Promise<RunningControlPlane> {
  for (const one of shared)
    if (one.databaseUrl === databaseUrl && one.number === number && isDeepStrictEqual(one.changes, changes))
      return one.replica;
  const started = { databaseUrl, number, changes, replica: startReplica(databaseUrl, changes) };
  shared.add(started);
  beforeDrop(databaseUrl, async () => {
    shared.delete(started);
    await (await started.replica).stop();
  });
  return started.replica;
}
