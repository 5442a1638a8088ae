import type { LeaseHolder } from '#control-plane/platform/db/lease.ts';
import type { Database } from './database.ts';
import type { Process } from './process.ts';

/** The rows of `leases`, changed as the statements of `db/lease.ts` do. */
export function leasesOf(database: Database, process: Process, holder: string): LeaseHolder {
  return {
    take: (name, forMs) =>
      database.transact(process, ({ leases }) => {
        const current = leases.get(name);
        const now = database.now();
        if (current !== undefined && current.holder !== holder && current.expiresAt >= now) return null;
        const fence = current === undefined ? 1 : current.fence + (current.holder === holder ? 0 : 1);
        leases.put(name, { holder, fence, expiresAt: now + forMs });
        return { fence, expiresInMs: forMs };
      }),
    release: name =>
      database.transact(process, ({ leases }) => {
        if (leases.get(name)?.holder === holder) leases.delete(name);
      }),
  };
}
