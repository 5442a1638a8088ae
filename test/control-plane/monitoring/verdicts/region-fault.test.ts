import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';
import { findState, writeStates } from '#control-plane/monitoring/monitors/state/state-store.ts';
import type { VerdictHooks } from '#control-plane/monitoring/verdicts/hooks.ts';
import { watchRegions } from '#control-plane/monitoring/verdicts/region-fault.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeVote } from '#test/support/monitor-state.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);
const hooks: VerdictHooks = {
  flipped: async () => {},
  alerted: async () => {},
  failingRegionsChanged: async () => {},
  historyMoved: async () => {},
};

/** The replica of the file watches regions, too: on a busy machine it would come first. */
async function keepReplicaFromWatching(): Promise<void> {
  await withSql(
    database(),
    sql => sql.run`
      insert into leases (name, holder, fence, expires_at)
      values ('regions', 'test', 1, now() + interval '1 hour')
      on conflict (name) do update
      set holder = excluded.holder, expires_at = excluded.expires_at`,
  );
}

/** A quarantine that is about to end: of four monitors with one vote each, one fails. `unable` more have no vote. */
async function openEndingQuarantine(t: ExecutionContext, { unable = 0 } = {}) {
  const world = await openMonitorWorld(t, database());
  await keepReplicaFromWatching();
  const [region = ''] = world.regions;
  const ids: string[] = [];
  for (let index = 0; index < 4; index++) ids.push((await world.post({ quorum: 1 })).body.id as string);
  const [failing = '', ...good] = ids;
  const others: string[] = [];
  for (let index = 0; index < unable; index++) others.push((await world.post({ quorum: 1 })).body.id as string);
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const nowMs = Date.now();
  const startMs = nowMs - 60_000;
  const quarantine = (sinceMs: number) =>
    withSql(
      database(),
      sql =>
        sql.run`insert into region_faults (region, project_id, since) values (${region}, null, ${instant(sinceMs)})`,
    );
  await quarantine(startMs);
  await withSql(database(), async sql => {
    const all = [...ids, ...others];
    await sql.run`update monitors set created_at = created_at - interval '2 hours' where id = any(${all}::text[])`;
    await sql.run`
      update monitors
      set needs = 'ping', able_regions = regions, regions = '{}'
      where id = any(${others}::text[])`;
  });
  await transaction(pools.background, async sql => {
    for (const id of ids) {
      const state = await findState(sql, id);
      if (state === null) throw new Error('no state');
      const vote = makeVote(nowMs - 1000, { vote: good.includes(id) ? 'up' : 'down', expires_at: nowMs + 600_000 });
      await writeStates(sql, [{ ...state, verdict: 'undetermined', since: startMs, votes: { [region]: vote } }]);
    }
  });
  /** The pool, with something that happens between the end of the quarantine and what is judged by it. */
  const interruptedBy = (work: () => Promise<unknown>) => {
    let connections = 0;
    const connect = async () => {
      connections += 1;
      if (connections === 2) await work();
      return pools.background.connect();
    };
    return { connect } as unknown as pg.Pool;
  };
  const verdictOfFailing = async () => (await withSql(database(), sql => findState(sql, failing)))?.verdict;
  return { region, pools, nowMs, quarantine, interruptedBy, verdictOfFailing };
}

test.serial(
  'a process that ends a quarantine and then stands still judges nothing by it once another has begun',
  async t => {
    const { region, pools, nowMs, quarantine, interruptedBy, verdictOfFailing } = await openEndingQuarantine(t);
    const again = { begun: false };
    const begin = async () => {
      await quarantine(nowMs + 1000);
      again.begun = true;
    };
    await watchRegions(interruptedBy(begin), hooks, nowMs);
    t.true(again.begun);
    t.is(await verdictOfFailing(), 'undetermined', 'its region is quarantined again');
    const [ended] = await withSql(
      database(),
      sql => sql.rows<{ judge_at: number | null }>`
      select judge_at
      from region_faults
      where region = ${region} and until is not null`,
    );
    t.true((ended?.judge_at ?? 0) > nowMs + 30_000, 'what it left out is judged later');
    await withSql(database(), sql => sql.run`delete from region_faults where region = ${region} and until is null`);
    await quarantine(nowMs + 1000);
    await watchRegions(pools.background, hooks, nowMs + 2000);
    t.is(await verdictOfFailing(), 'down', 'whoever ends it undisturbed judges by that');
  },
);

test.serial('what a process that died did not judge when a quarantine ended is judged by the next', async t => {
  const { region, pools, nowMs, interruptedBy, verdictOfFailing } = await openEndingQuarantine(t);
  const dying = interruptedBy(() => Promise.reject(Object.assign(new Error('killed'), { code: 'ECONNRESET' })));
  await t.throwsAsync(watchRegions(dying, hooks, nowMs), { message: /could not be judged/ });
  t.is(await verdictOfFailing(), 'undetermined');
  await watchRegions(pools.background, hooks, nowMs + 2000);
  t.is(await verdictOfFailing(), 'undetermined', 'whoever ended it may still be judging');
  await watchRegions(pools.background, hooks, nowMs + 31_000);
  t.is(await verdictOfFailing(), 'down');
  const rows = await withSql(
    database(),
    sql => sql.rows<{ judge_at: number | null }>`select judge_at from region_faults where region = ${region}`,
  );
  t.deepEqual(rows, [{ judge_at: null }]);
});

test.serial('monitors that no agent of a region can run do not keep it quarantined', async t => {
  const { pools, nowMs, verdictOfFailing } = await openEndingQuarantine(t, { unable: 3 });
  await watchRegions(pools.background, hooks, nowMs);
  t.is(await verdictOfFailing(), 'down');
});

test.serial('a quarantine whose monitors cannot be judged keeps no other from being judged', async t => {
  const { region, pools, nowMs, verdictOfFailing } = await openEndingQuarantine(t);
  const { region: other, verdictOfFailing: verdictOfOther } = await openEndingQuarantine(t);
  t.not(other, region);
  const failing: VerdictHooks = {
    ...hooks,
    flipped: async (_, state) => {
      if (state.rules.regions.includes(region)) throw new Error('refused');
    },
  };
  await watchRegions(pools.background, failing, nowMs);
  t.is(await verdictOfFailing(), 'undetermined');
  t.is(await verdictOfOther(), 'down');
  // Half a minute after it was tried, by the database's clock.
  await watchRegions(pools.background, hooks, nowMs + 300_000);
  t.is(await verdictOfFailing(), 'down');
});
