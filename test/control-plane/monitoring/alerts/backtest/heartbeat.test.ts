import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { sweepAlerts } from '#control-plane/monitoring/alerts/sweep.ts';
import { AskedChecks } from '#control-plane/monitoring/checks/intake/asked-checks.ts';
import { ExpiringSet } from '#control-plane/monitoring/checks/intake/expiring-set.ts';
import { recordResults } from '#control-plane/monitoring/checks/intake/record.ts';
import { VersionBook } from '#control-plane/monitoring/checks/intake/version-book.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { StateCache } from '#control-plane/monitoring/monitors/state/state-cache.ts';
import { judgeDeadlines } from '#control-plane/monitoring/signals/deadlines.ts';
import { resultOfSignal } from '#control-plane/monitoring/signals/receive.ts';
import type { Receiver } from '#control-plane/monitoring/signals/store.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { instant, sqlOf } from '#control-plane/platform/db/sql.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { transactionHooks } from '#control-plane/roles/wings.ts';
import type { SignalType } from '#shared/checks/facts.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { apiOf, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { createDatabase } from '#test/support/database.ts';
import { isFull } from '#test/support/full.ts';

/** Clocks are set forward in Berlin on the next morning. */
const startMs = Date.parse('2026-03-28T18:00:00Z');
const quiet = { from: startMs - dayMs, until: startMs + 40 * dayMs };

/** Heartbeats by a clock of their own, on a database where nobody else judges. */
async function openJobs(t: ExecutionContext) {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  let nowMs = startMs;
  const replica = await startReplica(database.url, { roles: ['front'] }, { now: () => nowMs });
  t.teardown(() => replica.stop());
  const { token, projectId } = await createTenant(database.url);
  const api = apiOf(replica.url, token);
  const run = <Result>(work: Parameters<typeof withSql<Result>>[1]) => withSql(database.url, work);
  await run(
    sql => sql.run`
      insert into front_attendance (id, started_at, renewed_at)
      values (${randomUUID()}, ${instant(quiet.from)}, ${instant(quiet.until)})`,
  );
  const pool = replica.pools.background;
  const stored = await run(sql => sql.row<{ edition: Edition }>`select edition from storage_edition`);
  const services = {
    pool,
    series: await openSeries(pool, sqlOf(pool), stored?.edition ?? 'plain'),
    hooks: transactionHooks(createMetrics()).checks,
    versions: new VersionBook(),
    templates: new TemplateDictionary(),
    repeating: new ExpiringSet(1000),
    states: new StateCache(),
    asked: new AskedChecks(),
    confirm: async () => {},
  };
  /** Lets time pass until just before an instant, as the worker sees it. */
  const pass = async (untilMs: number) => {
    nowMs = Math.max(nowMs, untilMs);
    while ((await judgeDeadlines(services, untilMs - 1, untilMs - 1)) > 0);
    await sweepAlerts(pool, () => {}, untilMs - 1);
  };
  return {
    api,
    run,
    pass,
    now: () => nowMs,
    made: async (body: object): Promise<string> => {
      const name = randomUUID();
      const reply = await api('POST', '/v0/monitors', { kind: 'heartbeat', name, ...body });
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
      return reply.body.id;
    },
    signal: async (ids: readonly string[], type: SignalType, rid: string | null) => {
      const versions = await run(
        sql => sql.rows<{ monitor_id: string; config_version: number }>`
          select id as monitor_id, config_version from monitors where id = any(${[...ids]})`,
      );
      const signal = { type, exit_code: null, source: 'hb' } as const;
      const reported = versions.map(row => {
        const receiver: Receiver = { ...row, project_id: projectId, post_only: false, keep_output: false };
        return resultOfSignal(receiver, { signal, rid, latencyMs: null }, null, nowMs);
      });
      await recordResults(services, reported, nowMs);
    },
    backtest: async (id: string, changes: object, range: { from: number; to: number }) => {
      const [from, to] = [range.from, range.to].map(ms => new Date(ms).toISOString());
      const reply = await api('POST', `/v0/monitors/${id}/backtest`, { changes, from, to });
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      return reply.body;
    },
  };
}

type World = Awaited<ReturnType<typeof openJobs>>;

const settings = fc.record({
  cron: fc.constantFrom(null, null, '*/10 * * * *', '30 2 * * *', '0 */2 * * *'),
  timezone: fc.constantFrom('UTC', 'Europe/Berlin'),
  grace_seconds: fc.constantFrom(null, 60, 900, 5400),
  max_run_seconds: fc.constantFrom(null, 600),
  interval: fc.constantFrom(300, 3600),
});
const rules = fc.constantFrom(
  {},
  { confirm_seconds: 300, recover_seconds: 120 },
  { flap: { changes: 3, window_seconds: 3600 } },
);
const step = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 1, max: 10 * minuteMs }), fc.integer({ min: 1, max: 4 * hourMs })),
  type: fc.constantFrom<(SignalType | 'pause' | 'resume')[]>(
    ...(['success', 'success', 'success', 'start', 'fail', 'pause', 'resume'] as const),
  ),
  rid: fc.constantFrom(null, '6f1c9c0e-7d0b-4a52-9a1e-3f4d5a6b7c8d'),
});
const scenario = fc.record({
  was: settings,
  becomes: settings,
  rules,
  steps: fc.array(step, { minLength: 6, maxLength: 16 }),
});

function bodyOf({ interval, ...heartbeat }: { interval: number; cron: string | null }) {
  return { heartbeat, ...(heartbeat.cron === null ? { interval_seconds: interval } : {}) };
}

test('a back-test by the times of another heartbeat has what that one had live, from the same signals', async t => {
  const world = await openJobs(t);
  const seed = Math.floor(Math.random() * 2 ** 31);
  for (let turn = 0; turn < (isFull ? 12 : 1); turn += 1) {
    const scenarios = fc.sample(scenario, { seed: seed + turn, numRuns: 6 });
    const begun = world.now() + minuteMs;
    await world.pass(begun);
    const pairs = await Promise.all(
      scenarios.map(async ({ was, becomes, rules: alert_rules }) => {
        const [id, other] = [was, becomes].map(one => world.made({ ...bodyOf(one), alert_rules }));
        return { ids: [await id, await other] as [string, string], becomes };
      }),
    );
    const events = scenarios.flatMap(({ steps }, index) => {
      let at = begun;
      return steps.map(({ afterMs, ...event }) => {
        at += afterMs;
        return { ...event, at, ids: (pairs[index]?.ids ?? []) as readonly string[] };
      });
    });
    for (const { at, type, rid, ids } of events.toSorted((left, right) => left.at - right.at)) {
      await world.pass(at);
      if (type !== 'pause' && type !== 'resume') await world.signal(ids, type, rid);
      else for (const id of ids) await world.api('POST', `/v0/monitors/${id}/${type}`);
    }
    const to = world.now() + 7 * hourMs;
    await world.pass(to + 1);
    for (const [
      index,
      {
        ids: [id, other],
        becomes,
      },
    ] of pairs.entries()) {
      const own = events.filter(({ ids }) => ids.includes(id)).map(({ at }) => at);
      for (const from of [begun - minuteMs, own[Math.floor(own.length / 2)] ?? begun]) {
        const { before } = await world.backtest(other, {}, { from, to });
        const { after, not_replayable } = await world.backtest(id, bodyOf(becomes), { from, to });
        t.deepEqual(not_replayable, []);
        // Alerts that are open where the range begins are those that were.
        const shown = from < begun ? {} : { alerts: [] };
        t.deepEqual({ ...after, ...shown }, { ...before, ...shown }, `seed ${seed + turn}, ${index} from ${from}`);
      }
    }
  }
  await tryOne(t, world);
});

/** One job: what would have been with another grace, what is refused, and what is not stored any more. */
async function tryOne(t: ExecutionContext, { now, ...world }: World) {
  const begun = now() + minuteMs;
  const id = await world.made({ interval_seconds: 300, heartbeat: { grace_seconds: 60 } });
  const at = async (minutes: number, type: SignalType) => {
    await world.pass(begun + minutes * minuteMs);
    await world.signal([id], type, null);
  };
  await at(0, 'success');
  await at(4, 'start');
  await at(5, 'success');
  // Down from the 11th minute until the 12th, and from the 18th on.
  await at(12, 'success');
  await at(20, 'start');
  const to = begun + 30 * minuteMs;
  await world.pass(to);
  const range = { from: begun, to };
  const patient = await world.backtest(id, { heartbeat: { grace_seconds: 600, slug: 'job' } }, range);
  t.deepEqual([patient.before.down_seconds, patient.after.down_seconds], [60 + 12 * 60, 3 * 60]);
  t.deepEqual([patient.diff.gone.length, patient.diff.moved.length], [1, 1]);
  t.is(patient.diff.moved[0].opened_ms, 9 * minuteMs);
  const dry = await world.api('PATCH', `/v0/monitors/${id}?dry_run=true`, { heartbeat: { grace_seconds: 600 } });
  t.like(dry.body.backtest, { not_replayable: [], after: { down_seconds: 3 * 60 } });
  const named = await world.api('PATCH', `/v0/monitors/${id}?dry_run=true`, {
    heartbeat: { slug: 'x', grace_seconds: 60 },
  });
  t.is(named.body.backtest, null, 'other addresses do not change when signals are expected');
  const posts = { heartbeat: { grace_seconds: 600, post_only: true } };
  const refused = await world.backtest(id, posts, range);
  t.deepEqual(refused.not_replayable, [{ pointer: '/heartbeat/post_only', reason: 'other_target' }]);
  t.is(refused.after, null);
  const partly = await world.api('PATCH', `/v0/monitors/${id}?dry_run=true`, posts);
  t.is(partly.body.backtest.after.down_seconds, 3 * 60);
  // Assertions about runs are judged by what is stored, in which a start is no sign of life.
  const assertions = [{ type: 'run_seconds', operator: 'lte', value: 300 }];
  for (const from of [begun, begun + 19 * minuteMs]) {
    const { before, after } = await world.backtest(id, { assertions }, { from, to });
    const seconds = from === begun ? 13 * 60 : 11 * 60;
    t.deepEqual([before.down_seconds, after.down_seconds, after.undetermined_seconds], [seconds, seconds, 0]);
  }
  // A month later only what came since is stored.
  await at(45_000, 'success');
  await at(45_004, 'success');
  const end = begun + 45_005 * minuteMs;
  await world.pass(end);
  const change = { interval_seconds: 240 };
  const before = { from: begun + 44_990 * minuteMs, to: end };
  t.deepEqual((await world.backtest(id, change, before)).not_replayable, []);
  const kept = instant(begun + 40_000 * minuteMs);
  await world.run(sql => sql.run`delete from check_results where monitor_id = ${id} and scheduled_at < ${kept}`);
  const gone = await world.backtest(id, change, before);
  t.deepEqual(gone.not_replayable, [{ pointer: '/interval_seconds', reason: 'no_results' }]);
  const since = await world.backtest(id, change, { ...before, from: begun + 45_001 * minuteMs });
  t.is(since.after.down_seconds, 0);
  await missYear(t, world, end);
}

/** Of fronts only the last month is known: no time before is one without any. */
async function missYear(
  t: ExecutionContext,
  world: Pick<World, 'api' | 'made' | 'pass' | 'run' | 'signal'>,
  nowMs: number,
) {
  const id = await world.made({ interval_seconds: 31_622_400 });
  await world.signal([id], 'success', null);
  const deadline = nowMs + 366 * dayMs + hourMs;
  const [startedAt, renewedAt] = [instant(deadline - 40 * dayMs), instant(deadline + dayMs)];
  await world.run(sql => sql.run`update front_attendance set started_at = ${startedAt}, renewed_at = ${renewedAt}`);
  await world.pass(deadline + 1);
  const { status, status_since } = (await world.api('GET', `/v0/monitors/${id}`)).body;
  t.deepEqual([status, Date.parse(status_since)], ['down', deadline]);
}
