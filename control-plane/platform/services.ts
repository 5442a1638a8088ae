import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { Pools } from './db/pool.ts';
import type { Metrics } from './http/metrics.ts';

/** What nearly everything that happens by time works with. */
export type Services = { pools: Pools; clock: Clock; log: Logger; metrics: Metrics };
