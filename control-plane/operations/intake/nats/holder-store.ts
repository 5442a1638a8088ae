import { deleteExpiredLeases } from '../../../platform/db/lease.ts';
import type { Sql } from '../../../platform/db/sql.ts';

const leasePrefix = 'intake ';
const workerPrefix = 'intake worker ';

/** The lease that shows that a worker is there and reaches the broker. */
export function workerLease(worker: string): string {
  return `${workerPrefix}${worker}`;
}

/** The lease of who stores a stream. */
export function streamLease(stream: string): string {
  return `${leasePrefix}${stream}`;
}

/** The workers that are there, and the holder of the lease of each stream, by its name. */
export type Holders = { workers: string[]; holders: Map<string, string> };

export async function readHolders(sql: Sql): Promise<Holders> {
  const leases = await sql.rows<{ name: string; holder: string }>`
    select name, holder
    from leases
    where starts_with(name, ${leasePrefix}) and expires_at >= clock_timestamp()`;
  const [present, taken] = [leases.filter(isWorker), leases.filter(lease => !isWorker(lease))];
  return {
    workers: present.map(({ holder }) => holder),
    holders: new Map(taken.map(({ name, holder }) => [name.slice(leasePrefix.length), holder])),
  };
}

/** Deletes the leases of workers that died. */
export function forgetDeadWorkers(sql: Sql): Promise<void> {
  return deleteExpiredLeases(sql, workerPrefix);
}

function isWorker({ name }: { name: string }): boolean {
  return name.startsWith(workerPrefix);
}
