import { randomUUID } from 'node:crypto';
import type { Sql } from './sql.ts';

/** The exclusive right to do one kind of work for a while. `fence` grows with every new holder. */
export type Lease = { fence: number; expiresInMs: number };

/** Leases of one replica. The database's clock decides when they expire. */
export type LeaseHolder = {
  /** Takes or renews a lease; null while another replica has it. */
  take(name: string, forMs: number): Promise<Lease | null>;
  /** Gives up leases, so that another replica can take them at once. */
  release(...names: string[]): Promise<void>;
};

/** Leases in the name of `holder`, by default a random one. */
export function leaseHolder(sql: Sql, holder = randomUUID()): LeaseHolder {
  return {
    take: async (name, forMs) => {
      const row = await sql.row<{ fence: number }>`
        insert into leases as current (name, holder, fence, expires_at)
        values (${name}, ${holder}, 1, clock_timestamp() + ${forMs} * interval '1 ms')
        on conflict (name) do update
        set holder = excluded.holder,
          expires_at = excluded.expires_at,
          fence = current.fence + case when current.holder = excluded.holder then 0 else 1 end
        where current.holder = excluded.holder or current.expires_at < clock_timestamp()
        returning fence`;
      return row === null ? null : { fence: row.fence, expiresInMs: forMs };
    },
    release: async (...names) => {
      await sql.run`delete from leases where name = any(${names}::text[]) and holder = ${holder}`;
    },
  };
}

/** Deletes leases whose names begin so and that expired more than an hour ago. */
export async function deleteExpiredLeases(sql: Sql, prefix: string): Promise<void> {
  await sql.run`
    delete from leases
    where starts_with(name, ${prefix}) and expires_at < clock_timestamp() - interval '1 hour'`;
}
