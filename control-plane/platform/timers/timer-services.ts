import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { leaseHolder } from '../db/lease.ts';
import type { Sql } from '../db/sql.ts';
import { dueFinder } from './due-store.ts';
import type { TimerServices } from './start.ts';

/** What the timers of a part need of the database. */
export function timerServices(sql: Sql, clock: Clock, log: Logger): TimerServices {
  return { leases: leaseHolder(sql), findDue: dueFinder(sql, clock), log };
}
