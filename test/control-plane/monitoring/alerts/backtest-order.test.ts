import test from 'ava';
import { evaluateFlip } from '#control-plane/monitoring/alerts/evaluate.ts';
import { lockStates } from '#control-plane/monitoring/monitors/state/state-store.ts';
import type { VerdictHooks } from '#control-plane/monitoring/verdicts/hooks.ts';
import { judgeResults } from '#control-plane/monitoring/verdicts/judge.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { minuteMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeNewResult, makeVersion } from '#test/support/monitor-state.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);
const hooks: VerdictHooks = {
  flipped: async () => {},
  alerted: async (sql, before, state, change, nowMs) => void (await evaluateFlip(sql, before, state, change, nowMs)),
  failingRegionsChanged: async () => {},
  historyMoved: async () => {},
};

/** Orders in which the second attempts of regions that failed at 0, 1 and 2 ms arrive, each in a commit of its own. */
for (const order of [
  [0, 1, 2],
  [0, 2, 1],
  [2, 1, 0],
  [1, 2, 0],
])
  test.serial(
    `a back-test without changes has the alert to the millisecond, arrived in the order ${order}`,
    async t => {
      const nowMs = Date.now();
      const world = await openMonitorWorld(t, database(), 3, { now: () => nowMs });
      const { id } = (await world.post({ interval_seconds: 600, quorum: 2, timeout_ms: 5000 })).body;
      const pools = patientPools(database());
      t.teardown(() => pools.end());
      const startMs = nowMs - 10 * minuteMs;
      await withSql(database(), async sql => {
        const at = instant(startMs);
        await sql.run`update monitor_versions set at = ${at} where monitor_id = ${id}`;
        await sql.run`update verdict_changes set since = ${at}, decided_at = ${at} where monitor_id = ${id}`;
        await sql.run`
        update monitor_states
        set since = ${at}, floor = ${at}, sweep_at = null
        where monitor_id = ${id}`;
      });
      const limits = { intervalMs: 600_000, timeoutMs: 5000 };
      const version = makeVersion({ projectId: world.projectId, regions: world.regions, ...limits });
      for (const index of order)
        await transaction(pools.background, async sql => {
          const states = await lockStates(sql, [id]);
          const slot = startMs + minuteMs + index;
          const results = [1, 2].map(attempt =>
            makeNewResult(slot + attempt * 500, {
              monitor_id: id,
              region: world.regions[index] ?? '',
              attempt,
              scheduled_at: slot,
              status: 'err',
              failure_source: 'target',
            }),
          );
          for (const result of results)
            await sql.run`
            insert into check_results (
              monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version,
              started_at, completed_at, received_at, status_code, detail
            )
            values (
              ${id}, ${instant(result.scheduled_at)}, ${result.region}, 'scheduled', ${result.attempt}, 'err',
              'target', 'agt_1', 1, ${instant(result.started_at)}, ${instant(result.completed_at)},
              ${instant(result.receivedAt)}, 404, '{"assertions":[],"error":null,"tls":null}'
            )`;
          const fresh = results.map(result => ({ result, version }));
          await judgeResults(sql, hooks, states, fresh, startMs + minuteMs + 3000);
        });
      const [live] = (await world.api('GET', `/v0/alerts?monitor_id=${id}`)).body.data;
      const path = `/v0/monitors/${id}/backtest`;
      const range = {
        from: new Date(startMs + 1000).toISOString(),
        to: new Date(startMs + 5 * minuteMs).toISOString(),
      };
      const { before, after, diff } = (await world.api('POST', path, { ...range, changes: {} })).body;
      const { kind, started_at, opened_at, resolved_at } = live;
      t.deepEqual(before.alerts, [{ kind, started_at, opened_at, resolved_at }]);
      t.deepEqual(after, before);
      t.deepEqual(diff, { new: [], gone: [], moved: [] });
      const patient = { alert_rules: { confirm_seconds: 60 } };
      const later = (await world.api('POST', path, { ...range, changes: patient })).body;
      t.is(later.after.alerts[0].started_at, started_at);
      t.is(Date.parse(later.after.alerts[0].opened_at), Date.parse(started_at) + minuteMs);
    },
  );
