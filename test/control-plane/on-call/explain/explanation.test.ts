import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { AlertView } from '#control-plane/monitoring/alerts/alert.ts';
import { evaluateFlip } from '#control-plane/monitoring/alerts/evaluate.ts';
import { sweepAlerts } from '#control-plane/monitoring/alerts/sweep.ts';
import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { lockStates } from '#control-plane/monitoring/monitors/state/state-store.ts';
import type { VerdictHooks } from '#control-plane/monitoring/verdicts/hooks.ts';
import { judgeResults } from '#control-plane/monitoring/verdicts/judge.ts';
import { sweepExpiries } from '#control-plane/monitoring/verdicts/sweep.ts';
import type { Explanation } from '#control-plane/on-call/explain/explanation.ts';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { instant, type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { recompute } from '#test/oracles/explanation.ts';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { isFull } from '#test/support/full.ts';
import { failed, makeNewResult, makeVersion } from '#test/support/monitor-state.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const hooks: VerdictHooks = {
  flipped: async () => {},
  alerted: async (sql, before, state, change, nowMs) => void (await evaluateFlip(sql, before, state, change, nowMs)),
  failingRegionsChanged: async () => {},
  historyMoved: async () => {},
};
const alertsWanted = isFull ? 1000 : 200;
const slotMs = minuteMs;
/** One slot good, two bad, in turns. */
const slotsPerOutage = 3;

type Subject = { id: string; regions: readonly string[]; isSlow: boolean };
/** Which region an outage spares, if any, and whether that one cannot say. */
type Outage = { spared: number; isUnable: boolean };

/** Monitors with rules of each sort, some with a region that never reports. */
async function createSubjects(world: Awaited<ReturnType<typeof openMonitorWorld>>): Promise<Subject[]> {
  const [a = '', b = '', c = '', silent = ''] = world.regions;
  const sorts = [
    {},
    { confirm_seconds: 30 },
    { confirm_seconds: 75 },
    { degraded: { after_seconds: 0 } },
    { degraded: { after_seconds: 40 } },
  ];
  const subjects: Subject[] = [];
  for (let index = 0; index < 20; index++) {
    const alert_rules = sorts[index % sorts.length] ?? {};
    const isSlow = 'degraded' in alert_rules;
    const regions = index % 4 === 2 && !isSlow ? [a, b, c, silent] : [a, b, c];
    const body = { interval_seconds: 60, timeout_ms: 5000, quorum: 2, regions, alert_rules };
    const { id } = (await world.post({ name: `m${index}`, ...body })).body;
    subjects.push({ id, regions: [a, b, c], isSlow });
  }
  return subjects;
}

/** What one monitor's regions report in a slot: two of them or all fail or warn, a third may be unable to say. */
function resultsOf(
  { id, regions, isSlow }: Subject,
  slot: number,
  outage: Outage | null,
  random: () => number,
): NewResult[] {
  let askedAt: number | null = null;
  return regions.flatMap((region, index) => {
    const at = slot + Math.floor(random() * 5000);
    const make = (attempt: number, completed: number, changes: Partial<NewResult> = {}) =>
      makeNewResult(completed, {
        monitor_id: id,
        region,
        attempt,
        scheduled_at: slot + index,
        started_at: completed - 1 - Math.floor(random() * 300),
        receivedAt: completed + Math.floor(random() * 50),
        ...changes,
      });
    if (outage === null) return [make(1, at)];
    if (index === outage.spared)
      return [make(1, at, outage.isUnable ? { status: 'err', failure_source: 'probe' } : {})];
    if (isSlow) return [make(1, at, { status: 'warn' })];
    const asked = askedAt !== null && random() < 0.5 ? { kind: 'confirm' as const, scheduled_at: askedAt } : {};
    const attempts = [make(1, at, { ...failed, ...asked }), make(2, at + 1500, { ...failed, ...asked })];
    askedAt ??= slot + 5000;
    return attempts;
  });
}

async function insertResults(sql: Sql, results: readonly NewResult[]): Promise<void> {
  const rows = results.map(result => ({
    ...result,
    scheduled_at: instant(result.scheduled_at),
    started_at: instant(result.started_at),
    completed_at: instant(result.completed_at),
    received_at: instant(result.receivedAt),
  }));
  await sql.run`
    insert into check_results (
      monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version, started_at,
      completed_at, received_at, latency_ms, status_code, detail
    )
    select r.monitor_id, r.scheduled_at, r.region, r.kind, r.attempt, r.status, r.failure_source, 'agt_1', 1,
      r.started_at, r.completed_at, r.received_at, 1, 200, '{"assertions":[],"error":null,"tls":null}'
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      monitor_id text, scheduled_at timestamptz, region text, kind text, attempt smallint, status text,
      failure_source text, started_at timestamptz, completed_at timestamptz, received_at timestamptz
    )`;
}

async function listAll(world: Awaited<ReturnType<typeof openMonitorWorld>>): Promise<AlertView[]> {
  const alerts: AlertView[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = (await world.api('GET', `/v0/alerts?limit=200${cursor}`)).body;
    alerts.push(...data);
    if (!pagination.has_more) return alerts;
    cursor = `&cursor=${encodeURIComponent(pagination.next_cursor)}`;
  }
}

/** Small numbers in [0, 1), the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function simulate(t: ExecutionContext, seed: number) {
  const random = randomOf(seed);
  const startMs = Math.floor(Date.now() / slotMs) * slotMs - 4 * hourMs;
  let nowMs = startMs;
  const world = await openMonitorWorld(t, databaseOf(), 4, { now: () => nowMs });
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const { edition } = await migrate({ connectionString: databaseOf(), storage: 'auto', log: () => {} });
  const series = await openSeries(pools.background, sqlOf(pools.background), edition);
  const subjects = await createSubjects(world);
  const slots = (alertsWanted / subjects.length) * slotsPerOutage;
  await series.ensure('check_results', [startMs, startMs + slots * slotMs]);
  const { projectId } = world;
  const version = makeVersion({ projectId, regions: world.regions, intervalMs: slotMs, timeoutMs: 5000 });
  let outages: Outage[] = [];
  for (let index = 0; index < slots; index++) {
    const slot = startMs + (index + 1) * slotMs;
    const isBad = index % slotsPerOutage !== 0;
    // The same to its end: an alert that waits while the quorum does not know takes longer than its explanation says.
    if (index % slotsPerOutage === 1)
      outages = subjects.map(() => ({ spared: Math.floor(random() * 4), isUnable: random() < 0.3 }));
    const results = subjects.flatMap((subject, place) =>
      resultsOf(subject, slot, isBad ? (outages[place] ?? null) : null, random),
    );
    await transaction(pools.background, async sql => {
      const states = await lockStates(
        sql,
        subjects.map(({ id }) => id),
      );
      await insertResults(sql, results);
      const fresh = results.map(result => ({ result, version }));
      await judgeResults(sql, hooks, states, fresh, slot + 10_000);
    });
    nowMs = slot + slotMs - 1;
    while ((await sweepExpiries(pools.background, hooks, nowMs)) > 0);
    await sweepAlerts(pools.background, () => {}, nowMs);
  }
  return world;
}

test.serial(`what explanations say follows from themselves alone, for ${alertsWanted} alerts`, async t => {
  const [seed = 1] = fc.sample(fc.integer(), 1);
  const world = await simulate(t, seed);
  const alerts = await listAll(world);
  t.is(alerts.length, alertsWanted, `seed ${seed}`);
  const wrong: unknown[] = [];
  for (const { id, kind, started_at, opened_at } of alerts) {
    const said: Explanation = (await world.api('GET', `/v0/alerts/${id}/explanation`)).body;
    const found = recompute(said);
    const { failing, quorum, opens, told, sent, ms, unseen_ms } = said.clock;
    const expected = {
      verdict: kind,
      startedAt: Date.parse(started_at),
      flips: said.flips,
      ages: said.votes.map(({ age_ms }) => age_ms),
      clock: { failing, quorum, opens: opened_at, told, sent },
      ms,
      unseenMs: unseen_ms,
      faults: [],
    };
    if (opens !== opened_at || said.missing.length > 0 || !said.sentence.includes(` since ${started_at}: `))
      wrong.push({ id, said });
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ id, found, expected, clock: said.clock });
  }
  t.deepEqual(wrong.slice(0, 2), [], `seed ${seed}: ${wrong.length} are wrong`);
});

test.serial('it names the group that people were notified of', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { api, made, monitor, channel, open, settled } = world;
  await made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [await channel('chat')] }] });
  const monitors = [await monitor('shop'), await monitor('blog')];
  const [first] = await open(monitors, { address: '192.0.2.7', severity: 'p1' });
  await settled();
  const { maintenance, group } = await until(
    async () => (await api('GET', `/v0/alerts/${first?.id}/explanation`)).body,
    ({ group }) => group?.told_at != null,
  );
  t.is(maintenance, null);
  const cause = { type: 'address', value: '192.0.2.7', error_code: 'connect_refused' };
  t.like(group, { cause, alerts: 2, state: 'open' });
  t.is(group.id, (await api('GET', `/v0/alerts/${first?.id}`)).body.group_id);
});
