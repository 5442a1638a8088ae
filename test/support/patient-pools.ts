import { createPools, type Pools } from '#control-plane/platform/db/pool.ts';
import { createLog } from '#shared/log.ts';
import { patienceMs } from './patience.ts';

/** Pools that wait for a connection of a busy server, where the product would answer 503. */
export function patientPools(databaseUrl: string, name?: string): Pools {
  const pools = createPools(databaseUrl, createLog({ name: 'test', level: 'silent' }), name);
  const { front, api, reports, people, ingest, background, health } = pools;
  for (const { options } of [front, api, reports, people, ingest, background, health])
    Object.assign(options, { connectionTimeoutMillis: patienceMs });
  return pools;
}
