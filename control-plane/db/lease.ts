import { randomUUID } from 'node:crypto';
import type { Sql } from './sql.ts';

/** Right to do one kind of work for a while. `fence` grows with every new holder. */
export type Lease = { fence: number; expiresInMs: number };

/** Takes or renews leases for one replica; the database's clock decides who holds one. */
export type LeaseHolder = {
  take(name: string, forMs: number): Promise<Lease | null>;
  release(name: string): Promise<void>;
};

export function leaseHolder(sql: Sql, holder = randomUUID()): LeaseHolder {
  return {
    take: async (name, forMs) => {
      const row = await sql.row<{ fence: number }>(
        `insert into leases as held (name, holder, fence, expires_at) values ($1, $2, 1, clock_timestamp() + $3 * interval '1 ms')
         on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at,
           fence = held.fence + case when held.holder = excluded.holder then 0 else 1 end
         where held.holder = excluded.holder or held.expires_at < clock_timestamp()
         returning fence`,
        [name, holder, forMs],
      );
      return row === null ? null : { fence: row.fence, expiresInMs: forMs };
    },
    release: async name => {
      await sql.run('delete from leases where name = $1 and holder = $2', [name, holder]);
    },
  };
}
