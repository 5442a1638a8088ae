import { secondMs } from '#shared/duration.ts';
import { leaseHolder } from '../../platform/db/lease.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';

/** Longer than a client needs to read what is read at once. */
const leaseMs = 120 * secondMs;

/** A project's one export at a time, on any number of replicas. */
export type ExportPlace = {
  /** Lengthens the lease. Throws if another export has it: the client has not read for so long. */
  renew(): Promise<void>;
  giveBack(): Promise<void>;
};

/** Throws `rate_limited` while another export of the project runs. */
export async function takeExportPlace(sql: Sql, projectId: string): Promise<ExportPlace> {
  const holder = leaseHolder(sql);
  const name = `events export ${projectId}`;
  if ((await holder.take(name, leaseMs)) === null)
    throw new Problem('rate_limited', { retryAfter: 5, detail: 'an export of the project is running' });
  return {
    renew: async () => {
      if ((await holder.take(name, leaseMs)) === null) throw new Error('another export of the project has begun');
    },
    giveBack: () => holder.release(name),
  };
}

/** Holds the place while portions are read. */
export async function* inPlace<Portion>(place: ExportPlace, portions: AsyncIterable<Portion>): AsyncGenerator<Portion> {
  try {
    for await (const portion of portions) {
      await place.renew();
      yield portion;
    }
  } finally {
    await place.giveBack();
  }
}
