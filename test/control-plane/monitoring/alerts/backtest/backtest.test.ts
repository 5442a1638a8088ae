import test from 'ava';
import { compareAlerts } from '#control-plane/monitoring/alerts/backtest/backtest.ts';
import { evaluateFlip } from '#control-plane/monitoring/alerts/evaluate.ts';
import { sweepAlerts } from '#control-plane/monitoring/alerts/sweep.ts';
import { lockStates } from '#control-plane/monitoring/monitors/state/state-store.ts';
import type { VerdictHooks } from '#control-plane/monitoring/verdicts/hooks.ts';
import { judgeResults } from '#control-plane/monitoring/verdicts/judge.ts';
import { sweepExpiries } from '#control-plane/monitoring/verdicts/sweep.ts';
import { flipsOf } from '#control-plane/on-call/explain/explain.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { createRegions, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeNewResult, makeVersion } from '#test/support/monitor-state.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const database = useDatabase(test);
const hooks: VerdictHooks = {
  flipped: async () => {},
  alerted: async (sql, before, state, change, nowMs) => void (await evaluateFlip(sql, before, state, change, nowMs)),
  failingRegionsChanged: async () => {},
  historyMoved: async () => {},
};

const detail = (passed: boolean) => {
  const outcome = {
    index: 0,
    type: 'status',
    passed,
    expected: 'status in ["200-299"]',
    actual: passed ? '200' : '404',
  };
  return JSON.stringify({ assertions: [outcome], error: null, tls: null });
};

test('a back-test has the alerts that opened live, and with other rules those that would have', async t => {
  let nowMs = Date.now();
  const world = await openMonitorWorld(t, database(), 3, { now: () => nowMs });
  const rules = { confirm_seconds: 90, recover_seconds: 60 };
  const created = await world.post({ interval_seconds: 20, quorum: 2, timeout_ms: 5000, alert_rules: rules });
  const id = created.body.id as string;
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  // The monitor is as old as its results, and the replica, which expires votes too, lives in their time.
  const startMs = nowMs - 60 * minuteMs;
  nowMs = startMs;
  await withSql(database(), async sql => {
    for (const table of ['monitor_versions', 'alert_rule_versions'] as const)
      await (table === 'monitor_versions'
        ? sql.run`update monitor_versions set at = ${instant(startMs)} where monitor_id = ${id}`
        : sql.run`update alert_rule_versions set at = ${instant(startMs)} where monitor_id = ${id}`);
    await sql.run`update verdict_changes set since = ${instant(startMs)} where monitor_id = ${id}`;
    await sql.run`
      update monitor_states
      set since = ${instant(startMs)}, floor = ${instant(startMs)}, sweep_at = null
      where monitor_id = ${id}`;
  });
  const [a = '', b = '', c = ''] = world.regions;
  // Down for a minute at 5 min, for four minutes at 10 min, and in one region alone at 20 min.
  const isDown = (region: string, minute: number) =>
    (minute >= 5 && minute < 6 && region !== c) ||
    (minute >= 10 && minute < 14 && region !== a) ||
    (minute >= 20 && minute < 25 && region === b);
  const version = makeVersion({
    projectId: world.projectId,
    regions: world.regions,
    intervalMs: 20_000,
    timeoutMs: 5000,
  });
  for (let at = startMs + 1000; at < startMs + 30 * minuteMs; at += 20_000) {
    nowMs = at;
    const minute = (at - startMs) / minuteMs;
    const results = [a, b, c].flatMap((region, index) => {
      const slot = at + index * 100;
      const failure = { status: 'err', failure_source: 'target' } as const;
      const attempts = isDown(region, minute) ? [1, 2] : [1];
      return attempts.map(attempt =>
        makeNewResult(slot + attempt * 700, {
          monitor_id: id,
          region,
          attempt,
          scheduled_at: slot,
          ...(isDown(region, minute) ? failure : {}),
        }),
      );
    });
    await transaction(pools.background, async sql => {
      const states = await lockStates(sql, [id]);
      for (const result of results)
        await sql.run`
          insert into check_results (
            monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version,
            started_at, completed_at, received_at, status_code, detail
          )
          values (
            ${id}, ${instant(result.scheduled_at)}, ${result.region}, 'scheduled', ${result.attempt}, ${result.status},
            ${result.failure_source}, 'agt_1', 1, ${instant(result.started_at)}, ${instant(result.completed_at)},
            ${instant(result.receivedAt)}, ${result.status === 'err' ? 404 : 200}, ${detail(result.status === 'ok')}
          )`;
      await judgeResults(
        sql,
        hooks,
        states,
        results.map(result => ({ result, version })),
        at + 3000,
      );
    });
    // Votes first, as the replica's timer does: an alert waits for votes that have to expire before it.
    for (let now = at + 3000; now < at + 20_000; now += 1000) {
      await sweepExpiries(pools.background, hooks, now);
      await sweepAlerts(pools.background, () => {}, now);
    }
  }
  nowMs = startMs + 60 * minuteMs;
  const until = new Date(startMs + 29 * minuteMs).toISOString();
  const body = { from: new Date(startMs + minuteMs).toISOString(), to: until };
  const live = (await world.api('GET', `/v0/alerts?monitor_id=${id}`)).body.data.toReversed();
  const shown = live.map(({ kind, started_at, opened_at, resolved_at }: Record<string, string>) => ({
    kind,
    started_at,
    opened_at,
    resolved_at,
  }));
  t.is(live.length, 1);
  const path = `/v0/monitors/${id}/backtest`;
  const same = await world.api('POST', path, { ...body, changes: {} });
  t.is(same.status, 200);
  t.deepEqual(same.body.before.alerts, shown);
  t.deepEqual(same.body.after, same.body.before);
  t.deepEqual(same.body.diff, { new: [], gone: [], moved: [] });
  const now = await world.api('POST', path, { ...body, changes: { alert_rules: { confirm_seconds: 0 } } });
  t.is(now.body.after.alerts.length, 2);
  t.is(now.body.diff.new.length, 1);
  t.is(now.body.diff.moved.length, 1);
  t.true(now.body.diff.moved[0].opened_ms < 0);
  const one = await world.api('POST', path, { ...body, changes: { quorum: 1 } });
  t.is(one.body.after.alerts.length, 2, 'the outage of one region is longer than 90 s');
  t.true(one.body.after.down_seconds > one.body.before.down_seconds);
  const unused = `unused-${world.projectId.slice(-10)}`;
  await createRegions(database(), [unused], world.projectId);
  const other = { url: 'https://other.example/', regions: [a, unused], interval_seconds: 30 };
  const refused = await world.api('POST', path, { ...body, changes: other });
  t.is(refused.body.after, null);
  t.deepEqual(refused.body.not_replayable, [
    { pointer: '/url', reason: 'other_target' },
    { pointer: '/interval_seconds', reason: 'other_slots' },
    { pointer: '/regions/1', reason: 'no_results' },
  ]);
  t.truthy((await world.api('POST', path, { ...body, changes: other, partial: true })).body.after);

  const status = (value: number) => ({ type: 'status', operator: 'lt', value });
  const json = { type: 'json_path', path: '$.ok', operator: 'eq', value: true };
  const tolerant = await world.api('POST', path, { ...body, changes: { assertions: [status(500)] } });
  t.deepEqual(tolerant.body.not_replayable, []);
  t.deepEqual(tolerant.body.after.alerts, [], 'a 404 is good enough');
  t.is(tolerant.body.diff.gone.length, 1);
  const strict = await world.api('POST', path, { ...body, changes: { assertions: [status(200)] } });
  t.is(strict.body.after.alerts.length, 1);
  t.is(strict.body.after.uptime, 0, 'of checks that were good the next one confirms the failure');
  const unknown = await world.api('POST', path, { ...body, changes: { assertions: [status(500), json] } });
  t.deepEqual(unknown.body.not_replayable, [{ pointer: '/assertions/1', reason: 'answer_not_kept' }]);
  const slow = await world.api('POST', path, { ...body, changes: { timeout_ms: 6000 } });
  t.deepEqual(slow.body.not_replayable, [], 'no check ended by its timeout');

  const dry = async (changes: unknown) =>
    (await world.api('PATCH', `/v0/monitors/${id}?dry_run=true`, changes)).body.backtest;
  const tried = await dry({ quorum: 1, name: 'Other', url: 'https://other.example/' });
  t.is(tried.after.alerts.length, 2);
  t.deepEqual(tried.not_replayable, [{ pointer: '/url', reason: 'other_target' }]);
  t.is(await dry({ name: 'Other' }), null);
  t.is(await dry({ assertions: [json] }), null, 'nothing that can be replayed changes');
  t.is((await world.api('GET', `/v0/monitors/${id}`)).body.quorum, 2);

  const documentOf = (changes: Record<string, unknown>) => {
    const settings = { interval_seconds: 20, quorum: 2, timeout_ms: 5000, alert_rules: rules, regions: world.regions };
    const monitor = { key: 'm', name: 'm', url: 'https://example.com/', ...settings, ...changes };
    return { upquorum: 1, manager: 'git-ops', monitors: [monitor] };
  };
  const planned = async (changes: Record<string, unknown>, backtest = '24h') =>
    (await world.api('POST', '/v0/config/plan', { document: documentOf(changes), adopt: true, backtest })).body;
  const plan = await planned({ quorum: 1, alert_rules: { ...rules, confirm_seconds: 0 } });
  const [action] = plan.actions;
  const day = { from: new Date(nowMs - dayMs).toISOString(), to: new Date(nowMs).toISOString(), partial: true };
  const asked = { quorum: 1, alert_rules: { ...rules, confirm_seconds: 0 } };
  t.deepEqual(action.backtest, (await world.api('POST', path, { ...day, changes: asked })).body);
  t.is(plan.backtest.new.length, action.backtest.diff.new.length);
  t.true(plan.backtest.new.length > 0);
  t.like(plan.backtest.new[0], { monitor_key: 'm', alert_id: null, severity: 'p2' });
  t.like(plan.backtest.moved[0], { monitor_key: 'm', alert_id: live[0].id });
  const off = await planned({ enabled: false });
  t.like(off.backtest, { days: 1, monitors: 1, new: [], moved: [] });
  t.like(off.backtest.gone[0], { alert_id: live[0].id, severity: 'p2', opened_at: live[0].opened_at });
  t.is((await planned({ quorum: 1 }, 'none')).backtest, null);
  t.like((await planned({ labels: { team: 'web' } })).backtest, { monitors: 0, skipped: 0 });
  const accept = { accept: 'text/markdown' };
  const markdown = (await world.api('GET', `/v0/config/plans/${plan.id}`, undefined, accept)).body as string;
  t.regex(markdown, /^<!-- upquorum-plan:git-ops -->\n\n### Plan of git-ops: \*\*1\*\* to adopt/);
  t.regex(markdown, /Of the last 24 hours, by 1 monitor: \d alerts? would be new, 0 gone, 1 moved/);
  t.true(markdown.includes(`\`${plan.id}\``));

  const at = (minute: number) => new Date(startMs + minute * minuteMs).toISOString();
  const scope = { monitor_ids: [id] };
  const window = { title: 'Work', scope, starts_at: at(11), ends_at: at(13), alerts: 'send' };
  t.is((await world.api('POST', '/v0/maintenances', window)).status, 201);
  const worked = (await world.api('POST', path, { ...body, changes: {} })).body.before;
  t.is(worked.maintenance_seconds, 120);
  t.is(worked.down_seconds, same.body.before.down_seconds - 120);
  t.deepEqual(worked.alerts, shown);

  const explained = (await world.api('GET', `/v0/alerts/${live[0].id}/explanation`)).body;
  const counted = explained.votes.filter(
    (vote: { counted: boolean; vote: string }) => vote.counted && vote.vote === 'down',
  );
  t.is(counted.length, 2);
  t.is(explained.clock.opens, live[0].opened_at);
  t.is(Date.parse(explained.clock.quorum) - Date.parse(live[0].started_at), 705);
  t.deepEqual(explained.flips, flipsOf(explained.votes, explained.rule.quorum));
  t.true(explained.votes.every((vote: { check: unknown }) => vote.check !== null));
  t.regex(explained.sentence, /^Down since .*: 2 of 3 regions failed \(quorum 2\): /);
  const verdicts = (await world.api('GET', `/v0/monitors/${id}/verdicts?verdict=down`)).body.data;
  t.is(verdicts.length, 2);
  t.like(verdicts[0], { cause: 'vote', quorum: 2, revised: false, since: live[0].started_at });
});

test('very many alerts on each side are compared at once, each with the one that it overlaps', async t => {
  const alerts = (offset: number, count = 100_000) =>
    Array.from({ length: count }, (_, index) => {
      const at = index * 100 + offset;
      return { kind: 'down' as const, started_at: at, opened_at: at, resolved_at: at + 40 };
    });
  const [before, after] = [alerts(0), [...alerts(30), ...alerts(1e9, 1)]];
  const ms = await leastThreadMs(2000, () => compareAlerts(before, after));
  t.true(ms < 2000, `${ms} ms`);
  const { new: added, gone, moved } = compareAlerts(before, after);
  t.deepEqual([added.length, gone.length, moved.length], [1, 0, 100_000]);
  t.like(moved[7], { opened_ms: 30, resolved_ms: 30 });
  const far = compareAlerts(alerts(0, 10), alerts(50, 10));
  t.deepEqual([far.new.length, far.gone.length, far.moved.length], [10, 10, 0]);
});
