import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '#shared/clock.ts';
import { DatabaseClock } from './clock.ts';
import type { Pools } from './pool.ts';

const poolNames = ['front', 'api', 'reports', 'ingest', 'background', 'health'] as const;

/** Adds what this process uses of the database to its metrics, read when they are asked for. */
export function addDatabaseMetrics(registry: Registry, pools: Pools, clock: Clock): void {
  const registers = [registry];
  new Gauge({
    name: 'upquorum_database_connections',
    help: 'Connections of a pool, used or idle',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const pool of poolNames) {
        const { totalCount, idleCount } = pools[pool];
        this.set({ pool, state: 'used' }, totalCount - idleCount);
        this.set({ pool, state: 'idle' }, idleCount);
      }
    },
  });
  new Gauge({
    name: 'upquorum_database_waiting',
    help: 'Requests waiting for a connection, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const pool of poolNames) this.set({ pool }, pools[pool].waitingCount);
    },
  });
  new Gauge({
    name: 'upquorum_clock_offset_seconds',
    help: 'How far the clock of the database is ahead; absent until it is known',
    registers,
    collect() {
      this.reset();
      if (clock instanceof DatabaseClock && clock.isMeasured) this.set(clock.offsetMs / 1000);
      else this.remove();
    },
  });
}
