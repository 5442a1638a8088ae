import type { Pools } from '#control-plane/platform/db/pool.ts';
import { beforeDrop } from './database.ts';
import { patientPools } from './patient-pools.ts';

const shared = new Map<string, Pools>();

/** More than tests of a file that run at once hold: none waits for another's session. */
const sessionsMax = 40;

/** The sessions of a clone that its tests share. To open one costs the server more than most statements. */
export function sharedPool(databaseUrl: string): Pools['background'] {
  const known = shared.get(databaseUrl);
  if (known !== undefined) return known.background;
  const pools = patientPools(databaseUrl);
  Object.assign(pools.background.options, { max: sessionsMax });
  shared.set(databaseUrl, pools);
  beforeDrop(databaseUrl, () => endSharedPool(databaseUrl));
  return pools.background;
}

/** Ends the sessions that tests share, for one that is about who is connected. The next statement opens others. */
export async function endSharedPool(databaseUrl: string): Promise<void> {
  const pools = shared.get(databaseUrl);
  shared.delete(databaseUrl);
  await pools?.end();
}
