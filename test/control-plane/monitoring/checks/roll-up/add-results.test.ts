import test from 'ava';
import fc from 'fast-check';
import { addResults } from '#control-plane/monitoring/checks/roll-up/add-results.ts';
import { lateBefore } from '#control-plane/monitoring/checks/roll-up/closed-days.ts';
import { listFailures } from '#control-plane/monitoring/checks/roll-up/failure-store.ts';
import { binCount, binOf } from '#control-plane/monitoring/checks/roll-up/latency-bins.ts';
import { type CheckTally, sumDays, sumHours } from '#control-plane/monitoring/checks/roll-up/tally-store.ts';
import { advanceTotals, readTotals } from '#control-plane/monitoring/checks/roll-up/total-store.ts';
import { insertResults, type NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { lockStates, writeCurrentHours } from '#control-plane/monitoring/monitors/state/state-store.ts';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { instant, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { dayMs, dayOf, hourMs, minuteMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { isFull } from '#test/support/full.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { makeResult } from '#test/support/results.ts';

const databaseOf = useDatabase(test);
const regions = ['a', 'b'];
const codes = ['timeout', 'connect_refused'] as const;
const startMs = Date.UTC(2026, 5, 10);
const lateMaxMs = 5 * dayMs;

/** What an agent may report next: of now, late, or once more. `stepMs` is the time since the batch before. */
type Draw = { monitor: number; region: number; ageMs: number; again: number | null } & Pick<
  NewResult,
  'attempt' | 'status'
> & {
    kind: 'scheduled' | 'confirm';
    latency: number;
    code: number;
  };
type Batch = { stepMs: number; draws: Draw[] };

const draw: fc.Arbitrary<Draw> = fc.record({
  monitor: fc.nat({ max: 1 }),
  region: fc.nat({ max: 1 }),
  ageMs: fc.oneof(
    { weight: 3, arbitrary: fc.nat({ max: minuteMs }) },
    { weight: 1, arbitrary: fc.nat({ max: 3 * hourMs }) },
    { weight: 1, arbitrary: fc.nat({ max: lateMaxMs }) },
  ),
  again: fc.option(fc.nat(), { freq: 4 }),
  kind: fc.constantFrom('scheduled', 'scheduled', 'scheduled', 'confirm'),
  attempt: fc.constantFrom(1, 1, 1, 2),
  status: fc.constantFrom('ok', 'ok', 'warn', 'err'),
  latency: fc.integer({ min: 1, max: 5000 }),
  code: fc.nat({ max: 1 }),
});

const history: fc.Arbitrary<Batch[]> = fc.array(
  fc.record({
    stepMs: fc.oneof(fc.nat({ max: minuteMs }), fc.nat({ max: 2 * hourMs }), fc.nat({ max: dayMs })),
    draws: fc.array(draw, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 20, maxLength: 60 },
);

const keyOf = (result: NewResult) =>
  [result.monitor_id, result.scheduled_at, result.region, result.kind, result.attempt].join(' ');

function toResult(ids: readonly string[], nowMs: number, drawn: Draw): NewResult {
  const { status, latency } = drawn;
  const isGood = status !== 'err';
  const result = makeResult({
    monitor_id: ids[drawn.monitor] ?? '',
    kind: drawn.kind,
    attempt: drawn.attempt,
    scheduled_at: nowMs - drawn.ageMs,
    status,
    latency_ms: isGood ? latency : null,
    error: isGood ? null : { code: codes[drawn.code] ?? 'timeout', message: '' },
  });
  const bin = isGood && drawn.kind === 'scheduled' && drawn.attempt === 1 ? binOf(latency) : null;
  return { ...result, seq: 1, region: regions[drawn.region] ?? '', agentId: 'agt_1', receivedAt: nowMs, bin };
}

const isRolledUp = ({ kind, attempt }: NewResult) => kind === 'scheduled' && attempt === 1;

/** The oracle: what results add up to by spans of a length, newest last. */
function tally(results: readonly NewResult[], lengthMs: number): CheckTally[] {
  const spans = Map.groupBy(results, ({ scheduled_at: at }) => Math.floor(at / lengthMs) * lengthMs);
  return [...spans]
    .map(([start, inside]) => {
      const count = (status: string) => inside.filter(result => result.status === status).length;
      const timed = inside.filter(({ bin }) => bin !== null);
      return {
        start,
        ok: count('ok'),
        warn: count('warn'),
        err: count('err'),
        latency_max: Math.max(0, ...timed.map(({ latency_ms }) => latency_ms ?? 0)),
        latency_bins: Array.from({ length: binCount }, (_, bin) => timed.filter(result => result.bin === bin).length),
      };
    })
    .toSorted(byStart);
}

const byStart = (left: CheckTally, right: CheckTally) => left.start - right.start;

/** The oracle: each status and reason by region, as counters of all time. */
function counters(results: readonly NewResult[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { region, status, error } of results)
    for (const what of error === null ? [status] : [status, error.code])
      counts.set(`${region} ${what}`, (counts.get(`${region} ${what}`) ?? 0) + 1);
  return new Map([...counts].toSorted());
}

test('hours, days, totals and failures are sums of results, also of late, repeated and reordered ones', async t => {
  let nowMs = startMs;
  const world = await openMonitorWorld(t, databaseOf(), 1, { now: () => nowMs });
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const { background } = pools;
  const sql = sqlOf(background);
  const { edition } = await migrate({ connectionString: databaseOf(), storage: 'auto', log: () => {} });
  const series = await openSeries(background, sql, edition);
  const run = async (batches: readonly Batch[]) => {
    nowMs = startMs;
    const ids = [(await world.post({ name: 'one' })).body.id, (await world.post({ name: 'two' })).body.id];
    await sql.run`update monitors set created_at = ${instant(startMs - lateMaxMs - dayMs)}`;
    const stored = new Map<string, NewResult>();
    const dictionary = new TemplateDictionary();
    const compare = async () => {
      const [fromMs, toMs] = [dayOf(startMs - lateMaxMs), dayOf(nowMs) + dayMs];
      const totals = await readTotals(sql, ids);
      const failures = await listFailures(sql, ids);
      for (const id of ids) {
        const own = [...stored.values()].filter(result => result.monitor_id === id && isRolledUp(result));
        t.deepEqual((await sumHours(sql, id, fromMs, toMs)).toSorted(byStart), tally(own, hourMs));
        t.deepEqual((await sumDays(sql, id, fromMs, toMs, nowMs)).toSorted(byStart), tally(own, dayMs));
        const counted = new Map<string, number>();
        for (const [region, counts] of Object.entries(totals.get(id) ?? {}))
          for (const [index, status] of ['ok', 'warn', 'err'].entries())
            if ((counts[index] ?? 0) > 0) counted.set(`${region} ${status}`, counts[index] ?? 0);
        for (const { monitorId, region, reason, failures: count } of failures)
          if (monitorId === id) counted.set(`${region} ${reason}`, count);
        t.deepEqual(new Map([...counted].toSorted()), counters(own));
      }
    };
    for (const [turn, { stepMs, draws }] of batches.entries()) {
      nowMs += stepMs;
      const known = [...stored.values()];
      const drawn = draws.map(one =>
        one.again === null || known.length === 0
          ? toResult(ids, nowMs, one)
          : (known[one.again % known.length] ?? toResult(ids, nowMs, one)),
      );
      const batch = [...new Map(drawn.map(result => [keyOf(result), result])).values()];
      const slots = batch.map(({ scheduled_at }) => scheduled_at);
      for (const table of ['check_results', 'checks_hourly'] as const) await series.ensure(table, slots);
      await series.ensure('check_shapes', slots.map(dayOf));
      await transaction(background, async tx => {
        const states = await lockStates(tx, ids);
        const { indexes, templates } = await insertResults(tx, batch, dictionary, true);
        dictionary.remember(templates);
        const fresh = indexes.flatMap(index => batch[index] ?? []);
        await writeCurrentHours(tx, await addResults(tx, states, fresh, nowMs));
        for (const result of fresh) stored.set(keyOf(result), result);
      });
      if (turn % 7 === 3) await transaction(background, tx => advanceTotals(tx, nowMs));
      if (turn % 5 === 4) await compare();
    }
    await compare();
  };
  await fc.assert(fc.asyncProperty(history, run), { numRuns: isFull ? 60 : 6, endOnFailure: true });
});

test('a result is late from one minute before its day can be closed', t => {
  const midnight = dayOf(startMs);
  t.is(lateBefore(midnight + hourMs - minuteMs - 1), midnight - dayMs);
  t.is(lateBefore(midnight + hourMs - minuteMs), midnight);
});
