import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { Timers } from '#shared/timers.ts';
import type { findSession } from '../agents/directory-store.ts';
import type { Sessions } from '../agents/sessions.ts';
import type { Catalogue } from './catalogue.ts';
import type { LoadedAssignment } from './load.ts';

/** What the distributor works with. */
export type DistributorServices = {
  catalogue: Catalogue;
  sessions: Sessions;
  /** Reads monitors and prepares them for agents of a region. */
  load(ids: readonly string[], region: string): Promise<LoadedAssignment[]>;
  /** An agent's session according to the database. */
  findSession(agentId: string): ReturnType<typeof findSession>;
  clock: Clock;
  log: Logger;
  timers?: Timers;
};
