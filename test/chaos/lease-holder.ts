import { wait } from '#shared/wait.ts';
import { audit } from '../bench/load/audit.ts';
import type { Row, RowRun } from '../bench/row.ts';
import { withSql } from '../support/control-plane.ts';
import { openOutages } from './harness/outages.ts';
import type { Process } from './harness/replicas.ts';

const stops = { small: 2, full: 50 };
/** The lease of the timer that marks agents as gone; see control-plane/roles/schedule.ts. */
const lease = { name: 'liveness', ms: 10_000 };
const lookMs = 6000;
const outagesPerStop = 10;
const target = { alertsNotOne: 0, slackNotOne: 0, webhooksNotOne: 0, twice: 0, leasesMoved: 'all' };

/**
 * R8: the replica that holds a lease is stopped for three times the lease, in the middle of outages, and goes on.
 * Whatever it had begun must not be written a second time.
 */
export async function stopLeaseHolder(run: RowRun): Promise<Row> {
  const rounds = run.full ? stops.full : stops.small;
  const race = await openOutages(run, rounds * outagesPerStop);
  await race.report(race.monitorIds, 'ok');
  await wait(1500);
  let moved = 0;
  for (let round = 0; round < rounds; round++) {
    const ids = race.monitorIds.slice(round * outagesPerStop, (round + 1) * outagesPerStop);
    const before = await readLease(race.site.databaseUrl);
    const holder = await findHolder(race.site.databaseUrl, race.replicas.all);
    // It is stopped again in the middle of its work: the third region’s reports wait for it.
    const reported = race.report(ids, 'err', 2);
    await wait(Math.random() * 40);
    holder.stop();
    const stoppedAt = performance.now();
    await reported;
    await race.alerts('open', ids.length);
    await wait(Math.max(0, 3 * lease.ms - (performance.now() - stoppedAt)));
    if ((await readLease(race.site.databaseUrl)).holder !== before.holder) moved += 1;
    holder.resume();
    // The end of an outage between two reports of its begin would be an outage of its own.
    await race.settled();
    await race.report(ids, 'ok');
    await race.alerts('resolved', (round + 1) * outagesPerStop);
    run.progress(`stop ${round + 1} of ${rounds}`);
  }
  const counts = await race.count();
  const { twice, hoursOff, stored } = await audit(race.site.databaseUrl, []);
  const { alertsNotOne, slackNotOne, webhooksNotOne } = counts;
  const clean = [alertsNotOne, slackNotOne, webhooksNotOne, twice, hoursOff].every(value => value === 0);
  return {
    name: 'R8',
    figure: { stops: rounds, ...counts, twice, leasesMoved: moved },
    target,
    pass: clean && moved === rounds,
    versions: await race.site.versions(),
    samples: { stored, hoursOff },
  };
}

/** The replica whose stop ends the renewals of the lease. */
async function findHolder(databaseUrl: string, replicas: readonly Process[]): Promise<Process> {
  for (const replica of replicas) {
    replica.stop();
    // A renewal that was under way may still be committed.
    await wait(500);
    const before = await readLease(databaseUrl);
    await wait(lookMs);
    const after = await readLease(databaseUrl);
    replica.resume();
    if (after.expires_at === before.expires_at) return replica;
  }
  throw new Error('no replica holds the lease');
}

async function readLease(databaseUrl: string): Promise<{ holder: string; expires_at: number }> {
  const row = await withSql(
    databaseUrl,
    sql => sql.row<{ holder: string; expires_at: number }>`
      select holder, expires_at
      from leases
      where name = ${lease.name}`,
  );
  if (row === null) throw new Error(`there is no lease ${lease.name}`);
  return row;
}
