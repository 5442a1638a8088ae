import type pg from 'pg';
import { instant, type Sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { appendFact } from '../facts/store.ts';
import { lockStates, writeStates } from '../monitors/state-store.ts';
import { follow, withSweep } from './judge.ts';
import type { VerdictStages } from './stages.ts';
import { quarantinedRegions } from './store.ts';
import { requarantine } from './timeline.ts';

/** How a region's monitors stand against the other regions. */
export type RegionTally = {
  region: string;
  monitors: number;
  newlyDisagreeing: number;
  disagreeing: number;
  good: number;
};

const windowMs = 60_000;
const monitorsMin = 20;
const batchSize = 500;

/** More than half of a region's monitors, and at least 20, turned down within a minute while their other regions disagree. */
export function isFaulty(tally: RegionTally): boolean {
  return tally.newlyDisagreeing >= monitorsMin && tally.newlyDisagreeing * 2 > tally.monitors;
}

/** Its checks agree again: most of its monitors are well from there, and at most a tenth stand alone. Silence is no agreement. */
export function hasReturned(tally: RegionTally): boolean {
  return tally.disagreeing * 10 <= tally.monitors && tally.good * 2 > tally.monitors;
}

/** Quarantines and returns regions. Run by one replica at a time. */
export async function watchRegions(pool: pg.Pool, stages: VerdictStages, nowMs: number): Promise<void> {
  const changes = await transaction(pool, async sql => {
    await sql.run('delete from vote_downs where at < $1', [instant(nowMs - 5 * windowMs)]);
    const quarantined = await quarantinedRegions(sql);
    const tallies = await tallyRegions(sql, [...quarantined], nowMs);
    const starts = tallies.filter(tally => !quarantined.has(tally.region) && isFaulty(tally));
    const ends = tallies.filter(tally => quarantined.has(tally.region) && hasReturned(tally));
    for (const tally of starts) await startFault(sql, tally, nowMs);
    for (const tally of ends) await endFault(sql, tally.region, nowMs);
    const after = new Set(
      [...quarantined, ...starts.map(tally => tally.region)].filter(
        region => !ends.some(tally => tally.region === region),
      ),
    );
    return { regions: [...starts, ...ends].map(tally => tally.region), before: quarantined, after };
  });
  for (const region of changes.regions) await rejudgeRegion(pool, stages, region, changes.before, changes.after, nowMs);
}

/** Regions with a vote that turned down lately, and the quarantined ones. Disagreeing: down here while no other region of the monitor votes down and one votes good. */
async function tallyRegions(sql: Sql, quarantined: readonly string[], nowMs: number): Promise<RegionTally[]> {
  const rows = await sql.rows<{ region: string; monitors: number; newly: number; disagreeing: number; good: number }>(
    `with suspects as (
       select region from vote_downs where at > $1 group by region having count(distinct monitor_id) >= $2 union select unnest($3::text[])
     ), standing as (
       select suspects.region, s.monitor_id, s.votes->suspects.region->>'vote' in ('up', 'warn') as good, s.votes->suspects.region->>'vote' = 'down' and not exists (
           select 1 from json_each(s.votes) as other where other.key <> suspects.region and other.value->>'vote' = 'down')
         and exists (select 1 from json_each(s.votes) as other where other.key <> suspects.region and other.value->>'vote' in ('up', 'warn')) as disagrees
       from suspects join monitor_states s on suspects.region = any(s.regions) and s.enabled and not s.deleted
     )
     select region, count(*)::integer as monitors, count(*) filter (where disagrees)::integer as disagreeing, count(*) filter (where good)::integer as good,
       count(*) filter (where disagrees and exists (select 1 from vote_downs d where d.region = standing.region and d.monitor_id = standing.monitor_id and d.at > $1))::integer as newly
     from standing group by region`,
    [instant(nowMs - windowMs), monitorsMin, quarantined],
  );
  return rows.map(row => ({
    region: row.region,
    monitors: row.monitors,
    newlyDisagreeing: row.newly,
    disagreeing: row.disagreeing,
    good: row.good,
  }));
}

async function startFault(sql: Sql, tally: RegionTally, nowMs: number): Promise<void> {
  const made = await sql.run('insert into region_faults (region, since) values ($1, $2) on conflict do nothing', [
    tally.region,
    instant(nowMs),
  ]);
  if (made === 0) return;
  const payload = { monitors_down: tally.newlyDisagreeing, monitors: tally.monitors };
  await appendFact(sql, { kind: 'region.quarantined', projectId: null, subject: tally.region, payload }, nowMs);
}

async function endFault(sql: Sql, region: string, nowMs: number): Promise<void> {
  const ended = await sql.run('update region_faults set until = $2 where region = $1 and until is null', [
    region,
    instant(nowMs),
  ]);
  if (ended > 0)
    await appendFact(sql, { kind: 'region.returned', projectId: null, subject: region, payload: {} }, nowMs);
}

/** A monitor judged by a result between the quarantine's commit and this is judged with it already: judging again changes nothing then. */
async function rejudgeRegion(
  pool: pg.Pool,
  stages: VerdictStages,
  region: string,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  nowMs: number,
): Promise<void> {
  let last = '';
  for (;;) {
    const count = await transaction(pool, async sql => {
      const ids = await sql.rows<{ monitor_id: string }>(
        'select monitor_id from monitor_states where $1 = any(regions) and enabled and not deleted and monitor_id > $2 order by monitor_id limit $3',
        [region, last, batchSize],
      );
      const states = await lockStates(
        sql,
        ids.map(row => row.monitor_id),
      );
      const judged = states.map(state => {
        const { standing, changes } = requarantine(state, nowMs, before, after);
        return { before: state, state: withSweep({ ...state, ...standing }), changes };
      });
      await writeStates(
        sql,
        judged.map(one => one.state),
      );
      for (const one of judged) await follow(sql, stages, one.before, one.state, one.changes, after, nowMs);
      last = ids.at(-1)?.monitor_id ?? last;
      return ids.length;
    });
    if (count < batchSize) return;
  }
}
