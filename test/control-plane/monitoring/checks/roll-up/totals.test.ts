import test from 'ava';
import fc from 'fast-check';
import { addResults } from '#control-plane/monitoring/checks/roll-up/add-results.ts';
import { listFailures } from '#control-plane/monitoring/checks/roll-up/failure-store.ts';
import { advanceTotals, readTotals } from '#control-plane/monitoring/checks/roll-up/total-store.ts';
import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { lockStates, writeCurrentHours } from '#control-plane/monitoring/monitors/state/state-store.ts';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { instant, type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { isFull } from '#test/support/full.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { makeResult } from '#test/support/results.ts';

const databaseOf = useDatabase(test);
const batches = isFull ? 10_000 : 1500;
/** All batches together take two months, so that days close. */
const stepMaxMs = (20 * minuteMs * 10_000) / batches;
const batchesAtOnce = batches / 250;
const regions = ['a', 'b'];
const codes = ['timeout', 'connect_refused'] as const;

/** Makes the next batch of results: of now, or up to 28 days late. */
function makeBatch(random: () => number, ids: readonly string[], nowMs: number): NewResult[] {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  return Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const lateMs = random() < 0.3 ? random() * 28 * dayMs : random() * 60_000;
    const status = pick(['ok', 'ok', 'warn', 'err'] as const);
    const result = makeResult({
      monitor_id: pick(ids),
      kind: random() < 0.1 ? 'confirm' : 'scheduled',
      scheduled_at: Math.floor(nowMs - lateMs),
      status,
      error: status === 'err' ? { code: pick(codes), message: '' } : null,
    });
    return { ...result, seq: 1, region: pick(regions), agentId: 'agt_1', receivedAt: nowMs, bin: null };
  });
}

/** The counters that a result adds one to. */
function countersOf({ monitor_id, region, status, error, kind }: NewResult): string[] {
  if (kind !== 'scheduled') return [];
  return (error === null ? [status] : [status, error.code]).map(what => `${monitor_id} ${region} ${what}`);
}

/** What a scrape counts, by monitor, region and status or reason. */
async function readCounters(sql: Sql, ids: readonly string[]): Promise<Map<string, number>> {
  const counters = new Map<string, number>();
  for (const [id, byRegion] of await readTotals(sql, ids))
    for (const [region, counts] of Object.entries(byRegion))
      for (const [index, status] of ['ok', 'warn', 'err'].entries())
        counters.set(`${id} ${region} ${status}`, counts[index] ?? 0);
  for (const { monitorId, region, reason, failures } of await listFailures(sql, ids))
    counters.set(`${monitorId} ${region} ${reason}`, failures);
  return counters;
}

/** A small generator of numbers in [0, 1): the same ones in each run of a seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test(`counters of ${batches} random batches never fall, late results and closed days included`, async t => {
  const startMs = Date.UTC(2026, 5, 1);
  let nowMs = startMs;
  const world = await openMonitorWorld(t, databaseOf(), 1, { now: () => nowMs });
  const ids = [(await world.post({ name: 'one' })).body.id, (await world.post({ name: 'two' })).body.id];
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const { edition } = await migrate({ connectionString: databaseOf(), storage: 'auto', log: () => {} });
  const series = await openSeries(pools.background, sqlOf(pools.background), edition);
  await sqlOf(pools.background).run`update monitors set created_at = ${instant(startMs - 29 * dayMs)}`;
  await series.ensure(
    'checks_hourly',
    [-29, 1, 31, 61, 91, 121].map(days => startMs + days * dayMs),
  );
  const [seed = 1] = fc.sample(fc.integer(), 1);
  const random = randomOf(seed);
  const counted = new Map<string, number>();
  let before = new Map<string, number>();
  for (let turn = 0; turn < batches; turn++) {
    nowMs += Math.floor(random() * stepMaxMs);
    const batch = makeBatch(random, ids, nowMs);
    await transaction(pools.background, async sql => {
      await sql.run`set local synchronous_commit = off`;
      await writeCurrentHours(sql, await addResults(sql, await lockStates(sql, ids), batch, nowMs));
    });
    for (const key of batch.flatMap(countersOf)) counted.set(key, (counted.get(key) ?? 0) + 1);
    if (turn % batchesAtOnce === 0) await transaction(pools.background, sql => advanceTotals(sql, nowMs));
    if (turn % 10 !== 0) continue;
    const now = await readCounters(sqlOf(pools.background), ids);
    const fallen = [...before].filter(([key, value]) => (now.get(key) ?? 0) < value);
    if (fallen.length > 0) return t.deepEqual(fallen, [], `seed ${seed}`);
    before = now;
  }
  const all = await readCounters(sqlOf(pools.background), ids);
  const nonzero = [...all].filter(([, value]) => value > 0);
  t.deepEqual(new Map(nonzero.toSorted()), new Map([...counted].toSorted()), `seed ${seed}`);
});
