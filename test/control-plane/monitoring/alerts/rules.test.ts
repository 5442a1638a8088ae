import test, { type ExecutionContext } from 'ava';
import { evaluateFlip, evaluateMovedRows } from '#control-plane/monitoring/alerts/evaluate.ts';
import { retimeAlerts } from '#control-plane/monitoring/alerts/retime.ts';
import { sweepAlerts } from '#control-plane/monitoring/alerts/sweep.ts';
import { syncSuppressions } from '#control-plane/monitoring/maintenances/suppress.ts';
import { wasNotified } from '#control-plane/monitoring/maintenances/suppression-store.ts';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import { findState, writeStates } from '#control-plane/monitoring/monitors/state/state-store.ts';
import { writeChange } from '#control-plane/monitoring/verdicts/store.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import { instant, type Sql } from '#control-plane/platform/db/sql.ts';
import { afterCommit, transaction } from '#control-plane/platform/db/transaction.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);

// Serial: a sweep of one test would open the alerts of the others, whose time is simulated too.

/** A monitor whose verdicts are given by hand. */
async function openCase(t: ExecutionContext, alertRules: unknown) {
  const world = await openMonitorWorld(t, database());
  const created = await world.post({ alert_rules: alertRules });
  const id = created.body.id as string;
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const startMs = Date.now() + 3_600_000;
  const flip = (verdict: VerdictChange['verdict'], atSeconds: number) =>
    withSql(database(), async (sql: Sql) => {
      const before = await findState(sql, id);
      if (before === null) throw new Error('no state');
      const since = startMs + atSeconds * 1000;
      const state: MonitorState = { ...before, verdict, since, sweepAt: null };
      const vote = verdict === 'down' ? 'down' : verdict === 'degraded' ? 'warn' : 'up';
      const votes = Object.fromEntries(before.rules.regions.map(region => [region, vote] as const));
      const decision = { at: since, cause: 'vote' as const, quorum: 2, ballots: {} };
      const change: VerdictChange = { since, verdict, votes, configVersion: 1, decision };
      await writeStates(sql, [state]);
      await writeChange(sql, state, change);
      await evaluateFlip(sql, before, state, change, since + 200);
    });
  const sweep = (atSeconds: number) => sweepAlerts(pools.background, () => {}, startMs + atSeconds * 1000);
  const alerts = async () => (await world.api('GET', `/v0/alerts?monitor_id=${id}`)).body.data.toReversed();
  const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString();
  const facts = () =>
    withSql(database(), async sql => {
      const rows = await sql.rows<{ kind: string; change: string | null }>`
        select kind, payload->>'change' as change
        from facts
        where subject in (select id from alerts where monitor_id = ${id}) and at > ${instant(startMs)}
        order by id`;
      return rows.map(({ kind, change }) => (change === null ? kind : `${kind} ${change}`));
    });
  return { world, created, id, startMs, pools, flip, sweep, alerts, at, facts };
}

test.serial('an alert that waits for its time starts with the row that late results moved meanwhile', async t => {
  const { id, startMs, flip, sweep, alerts, at } = await openCase(t, { confirm_seconds: 60 });
  await flip('up', 0);
  await flip('down', 100);
  await withSql(database(), async (sql: Sql) => {
    const state = await findState(sql, id);
    if (state === null) throw new Error('no state');
    const moved: VerdictChange = { since: startMs + 80_000, verdict: 'down', votes: {}, configVersion: 1 };
    await writeChange(sql, state, moved);
    await evaluateMovedRows(sql, id, [moved]);
  });
  await sweep(140);
  t.deepEqual(await alerts(), []);
  await sweep(141);
  t.like((await alerts())[0], { state: 'open', started_at: at(80), opened_at: at(140) });
});

test.serial('an outage shorter than confirm_seconds opens nothing, a longer one opens once its time is up', async t => {
  const { flip, sweep, alerts, at, facts } = await openCase(t, { confirm_seconds: 60, recover_seconds: 30 });
  await flip('up', 0);
  await flip('down', 10);
  await flip('up', 60);
  await flip('down', 100);
  await sweep(160);
  t.deepEqual(await alerts(), [], 'results on their way are judged first');
  await Promise.all([sweep(161), sweep(161), sweep(161)]);
  t.deepEqual(await facts(), ['alert.opened'], 'once on any number of replicas');
  const [opened] = await alerts();
  t.like(opened, { kind: 'down', state: 'open', started_at: at(100), opened_at: at(160), rules_version: 1 });
  await flip('up', 200);
  t.is((await alerts())[0].state, 'open');
  await sweep(231);
  t.like((await alerts())[0], { state: 'resolved', resolved_at: at(200) });
});

test.serial('a degraded alert is superseded by the outage that follows, and its end is not announced', async t => {
  const rules = { degraded: { after_seconds: 20, severity: 'p1' } };
  const { flip, sweep, alerts, at, facts } = await openCase(t, rules);
  await flip('degraded', 0);
  await sweep(21);
  await flip('down', 40);
  const [degraded, down] = await alerts();
  t.like(degraded, { kind: 'degraded', severity: 'p1', state: 'resolved', started_at: at(0), opened_at: at(20) });
  t.like(down, { kind: 'down', state: 'open', started_at: at(40) });
  t.is(degraded.superseded_by, down.id);
  t.true(degraded.title.endsWith(' is degraded'));
  t.deepEqual(await facts(), ['alert.opened', 'alert.opened']);
});

test.serial('late results that move a slow time move its degraded alert', async t => {
  const rules = { degraded: { after_seconds: 20, severity: 'p3' } };
  const { id, pools, flip, sweep, alerts, at, facts } = await openCase(t, rules);
  await flip('up', -10);
  await flip('degraded', 0);
  await sweep(21);
  await flip('up', 40);
  t.like((await alerts())[0], { kind: 'degraded', state: 'resolved', started_at: at(0), resolved_at: at(40) });
  const row = (verdict: 'up' | 'degraded', seconds: number) => ({
    since: Date.parse(at(seconds)),
    verdict,
    votes: {},
    configVersion: 1,
  });
  const before = [row('up', -10), row('degraded', 0), row('up', 40)];
  const after = [row('up', -10), row('degraded', -5), row('up', 35)];
  await transaction(pools.background, sql => retimeAlerts(sql, id, before, after));
  t.like((await alerts())[0], { started_at: at(-5), opened_at: at(20), resolved_at: at(35) });
  t.deepEqual(await facts(), ['alert.opened', 'alert.resolved'], 'nobody hears of it');
});

test.serial('an outage soon after the last one reopens its alert, which resolves once it flaps no more', async t => {
  const { flip, sweep, alerts, at, facts } = await openCase(t, { flap: { changes: 3, window_seconds: 300 } });
  await flip('down', 0);
  await flip('up', 10);
  await flip('down', 20);
  await flip('up', 30);
  await flip('down', 40);
  await flip('up', 50);
  const open = await alerts();
  t.is(open.length, 1);
  t.like(open[0], { state: 'open', started_at: at(0), flapping_since: at(40), resolved_at: null });
  await sweep(351);
  t.like((await alerts())[0], { state: 'resolved', resolved_at: at(50) });
  t.deepEqual(await facts(), [
    'alert.opened',
    'alert.resolved',
    'alert.updated reopened',
    'alert.resolved',
    'alert.updated reopened',
    'alert.updated flapping',
    'alert.resolved',
  ]);
});

test.serial('new rules hold from their instant on, without a new configuration', async t => {
  const { world, created, id, flip, alerts } = await openCase(t, { confirm_seconds: 3600, degraded: {} });
  t.deepEqual(created.body.alert_rules.degraded, { after_seconds: 300, severity: 'p3' });
  t.is(created.body.rules_version, 1);
  await flip('down', -3610);
  t.deepEqual(await alerts(), []);
  const path = `/v0/monitors/${id}`;
  const patched = await world.api('PATCH', path, { alert_rules: { confirm_seconds: 1 } });
  t.like(patched.body, { rules_version: 2, config_version: 1 });
  t.is(patched.body.alert_rules.degraded, null, 'replaced as a whole');
  t.is((await world.api('PATCH', path, { alert_rules: { confirm_seconds: 1 } })).body.rules_version, 2);
  t.is((await alerts())[0]?.rules_version, 2);
  const wrong = { alert_rules: { confirm_seconds: 3601, flap: { changes: 2, window_seconds: 300 }, quiet: 1 } };
  const { status, body } = await world.api('PATCH', path, wrong);
  t.is(status, 422);
  t.deepEqual(body.errors.map((error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`).sort(), [
    '/alert_rules/confirm_seconds out_of_range',
    '/alert_rules/flap/changes out_of_range',
    '/alert_rules/quiet not_allowed',
  ]);
});

test.serial('what is to happen after a commit does not happen after a rollback', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const done: string[] = [];
  await transaction(pools.background, async sql => afterCommit(sql, () => done.push('committed')));
  const rolledBack = transaction(pools.background, async sql => {
    afterCommit(sql, () => done.push('rolled back'));
    throw new Error('no');
  });
  await t.throwsAsync(rolledBack);
  t.deepEqual(done, ['committed']);
});

test.serial('an alert that opens again in maintenance is announced when that is over, if it is still open', async t => {
  const { world, id, pools, flip, alerts, at, facts } = await openCase(t, {
    flap: { changes: 50, window_seconds: 3600 },
  });
  await flip('up', 0);
  await flip('down', 10);
  await flip('up', 20);
  const window = { title: 'x', scope: { monitor_ids: [id] }, settle_seconds: 5 };
  await world.api('POST', '/v0/maintenances', { ...window, starts_at: at(30), ends_at: at(130) });
  await flip('down', 40);
  t.like((await alerts())[0], { state: 'open', held: true, held_since: at(40) });
  const told = async () => withSql(database(), async sql => wasNotified(sql, (await alerts())[0].id));
  t.false(await told());
  await flip('up', 50);
  t.false(await told(), 'nor that it is over');
  await flip('down', 60);
  const hold = (seconds: number) => syncSuppressions(pools.background, Date.parse(at(seconds)));
  t.is(await hold(134), 0);
  t.is(await hold(136), 1);
  t.like((await alerts())[0], { state: 'open', held: false, released_at: at(135) });
  t.true(await told());
  t.deepEqual(await facts(), [
    'alert.opened',
    'alert.resolved',
    'alert.held',
    'alert.resolved',
    'alert.held',
    'alert.updated reopened',
  ]);
});
