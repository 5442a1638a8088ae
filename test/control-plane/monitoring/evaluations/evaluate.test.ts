import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { meter } from '#control-plane/analytics/measures/meter.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { type EvaluationServices, evaluateDue } from '#control-plane/monitoring/evaluations/evaluate.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { transactionHooks } from '#control-plane/roles/wings.ts';
import { toTimestamp } from '#shared/clock.ts';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const settleMs = 30_000;

/** A front with a monitor of events, and workers that judge when the test says so. Everything is stored at `now`. */
async function openWorkers(t: ExecutionContext) {
  const world = await openAlertingWorld(t, databaseOf(), { roles: ['front'] });
  const { clock } = world;
  // Late events of a window have just been waited for.
  world.pass(minuteMs + 31_000 - (clock.now() % minuteMs));
  const endMs = () => Math.floor((clock.now() - settleMs) / minuteMs) * minuteMs;
  await withSql(
    databaseOf(),
    sql => sql.run`
      insert into front_attendance (id, started_at, renewed_at)
      values (${randomUUID()}, ${toTimestamp(clock.now() - hourMs)}, ${toTimestamp(clock.now() + hourMs)})`,
  );
  const { id } = await world.made('/v0/monitors', {
    name: 'orders',
    kind: 'events',
    events: { event: { name: 'order paid' }, window_seconds: 300, settle_seconds: settleMs / 1000 },
    assertions: [{ type: 'measured', operator: 'gte', value: 20 }],
  });
  const send = async (count: number, beforeEndMs: number) => {
    const event = { name: 'order paid', timestamp: toTimestamp(endMs() - beforeEndMs) };
    const { status } = await world.api(
      'POST',
      '/v0/events',
      Array.from({ length: count }, () => event),
    );
    t.is(status, 202);
  };
  const worker = async (changes: Partial<EvaluationServices> = {}) => {
    const name = `worker ${randomUUID()}`;
    const pools = patientPools(databaseOf(), name);
    t.teardown(() => pools.end());
    const pool = pools.background;
    const stored = await sqlOf(pool).row<{ edition: Edition }>`select edition from storage_edition`;
    const services: EvaluationServices = {
      pool,
      series: await openSeries(pool, sqlOf(pool), stored?.edition ?? 'plain'),
      hooks: transactionHooks(createMetrics()).checks,
      templates: new TemplateDictionary(),
      meter,
      storedUntil: async nowMs => nowMs,
      clock,
      ...changes,
    };
    const evaluate = () => evaluateDue(services, new AbortController().signal);
    return { name, pool, services, evaluate };
  };
  /** The instants that were judged, in seconds before the newest window's end, and what was counted. */
  const judged = async () => {
    const { data } = (await world.api('GET', `/v0/monitors/${id}/checks`)).body;
    const newestLast: { scheduled_at: string; measured: { value: number } }[] = data.reverse();
    return newestLast.map(({ scheduled_at, measured }) => [
      (Date.parse(scheduled_at) - endMs()) / 1000,
      measured.value,
    ]);
  };
  return { ...world, id, send, worker, judged };
}

test.serial('an instant whose worker is killed while it stores is judged once, by the next', async t => {
  const { send, worker, judged, pass } = await openWorkers(t);
  await send(20, 2 * minuteMs);
  const [inside, killed] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  killed.promise.catch(() => {});
  const victim = await worker();
  const { recorded } = victim.services.hooks;
  victim.services.hooks = {
    ...victim.services.hooks,
    recorded: async (...what) => {
      await recorded(...what);
      inside.resolve();
      return killed.promise;
    },
  };
  const dying = victim.evaluate();
  await inside.promise;
  const next = await worker();
  const waiting = next.evaluate();
  // A process that is gone notes no failure either.
  victim.pool.query = () => Promise.reject(new Error('killed'));
  await sqlOf(next.pool).rows`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${victim.name}`;
  killed.reject(new Error('killed'));
  await dying.catch(() => {});
  await waiting;
  await next.evaluate();
  t.deepEqual(await judged(), [[0, 20]]);
  const other = await worker();
  for (let minute = 0; minute < 2; minute++) {
    pass(minuteMs);
    await Promise.all([next.evaluate(), other.evaluate()]);
  }
  t.deepEqual(
    (await judged()).map(([at]) => at),
    [-120, -60, 0],
  );
});

test.serial('what waits in a broker is waited for; instants that passed meanwhile are not made up for', async t => {
  const { api, id, clock, send, worker, judged, pass } = await openWorkers(t);
  let waitMs = 0;
  const { evaluate } = await worker({ storedUntil: async nowMs => nowMs - waitMs });
  await send(20, 3 * minuteMs);
  await evaluate();
  pass(minuteMs);
  waitMs = 20_000;
  await evaluate();
  t.deepEqual(await judged(), [[-60, 20]], 'what arrived before the end of the wait may not be stored');
  await send(8, minuteMs);
  waitMs = 0;
  await evaluate();
  const before = [
    [-60, 20],
    [0, 28],
  ];
  t.deepEqual(await judged(), before);
  waitMs = Number.POSITIVE_INFINITY;
  for (let minute = 0; minute < 10; minute++) {
    pass(minuteMs);
    await evaluate();
  }
  t.is((await judged()).length, 2);
  waitMs = 0;
  await evaluate();
  t.deepEqual(await judged(), [...before.map(([at = 0, value]) => [at - 600, value]), [0, 0]]);
  const { status_since } = (await api('GET', `/v0/monitors/${id}`)).body;
  t.is(Date.parse(status_since), Math.floor((clock.now() - settleMs) / minuteMs) * minuteMs, 'down as of the window');
});
