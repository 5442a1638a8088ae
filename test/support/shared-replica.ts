import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import { startReplica } from './control-plane.ts';
import { beforeDrop } from './database.ts';

const replicas = new Map<string, Promise<RunningControlPlane>>();

/** The replica of all tests of a file that need none of their own: each has its own project. */
export function sharedReplica(databaseUrl: string): Promise<RunningControlPlane> {
  const known = replicas.get(databaseUrl);
  if (known !== undefined) return known;
  const starting = startReplica(databaseUrl);
  replicas.set(databaseUrl, starting);
  beforeDrop(databaseUrl, async () => {
    replicas.delete(databaseUrl);
    await (await starting).stop();
  });
  return starting;
}
