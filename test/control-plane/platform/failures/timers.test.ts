import test, { type ExecutionContext } from 'ava';
import { escalateAlerts } from '#control-plane/monitoring/alerts/escalate.ts';
import { sweepAlerts, sweepCertificates } from '#control-plane/monitoring/alerts/sweep.ts';
import { advanceTotals } from '#control-plane/monitoring/checks/roll-up/total-store.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { expandNext } from '#control-plane/monitoring/maintenances/advance.ts';
import { syncSuppressions } from '#control-plane/monitoring/maintenances/suppress.ts';
import { judgeDeadlines } from '#control-plane/monitoring/signals/deadlines.ts';
import { sweepExpiries } from '#control-plane/monitoring/verdicts/sweep.ts';
import { cleanUp } from '#control-plane/operations/housekeeping.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transactionByItem } from '#control-plane/platform/failures/by-item.ts';
import { setApartFailures } from '#control-plane/platform/failures/failure.ts';
import { createFailureReporter, reportFailuresOf } from '#control-plane/platform/failures/reporter.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { retentions, transactionHooks } from '#control-plane/roles/wings.ts';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { createLog } from '#shared/log.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeVote } from '#test/support/monitor-state.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { plantFault } from '#test/support/planted-fault.ts';

const database = useDatabase(test);

/** Two monitors, and pools whose failures are counted and logged. */
async function openPair(t: ExecutionContext, changes: Record<string, unknown> = {}) {
  const world = await openMonitorWorld(t, database());
  const [badId, goodId] = [
    (await world.post({ name: 'bad', ...changes })).body.id,
    (await world.post({ name: 'good', ...changes })).body.id,
  ] as [string, string];
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'error', destination: { write: line => void lines.push(line) } });
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const metrics = createMetrics();
  reportFailuresOf(pools, createFailureReporter(log, metrics.failures));
  const sql = <Result>(work: (sql: Sql) => Promise<Result>) => withSql(database(), work);
  const counted = async (work: string) =>
    (await metrics.failures.get()).values.find(({ labels }) => labels.work === work)?.value ?? 0;
  const plant = async (table: string, on: 'insert' | 'update' | 'delete', column: string, value: string) => {
    const planted = await plantFault(database(), { table, on, column, value });
    t.teardown(() => planted.remove().catch(() => {}));
    return planted;
  };
  return { world, badId, goodId, pools, pool: pools.background, metrics, lines, log, sql, counted, plant };
}

// Serial: a sweep of one test would take the monitors of the others.

test.serial('votes expire although those of another monitor cannot be judged', async t => {
  const { world, badId, goodId, pool, metrics, sql, counted, plant } = await openPair(t);
  const nowMs = Date.now() + hourMs;
  const votes = Object.fromEntries(world.regions.map(region => [region, makeVote(Date.now() + 20 * minuteMs)]));
  await sql(
    tx => tx.run`
      update monitor_states
      set verdict = 'up', votes = ${JSON.stringify(votes)}, sweep_at = now() + interval '30 minutes'
      where monitor_id = any(${[badId, goodId]})`,
  );
  await plant('verdict_changes', 'insert', 'monitor_id', badId);
  const { verdicts } = transactionHooks(metrics);
  for (let turn = 0; turn < 5; turn++) await sweepExpiries(pool, verdicts, nowMs);
  const rows = await sql(
    tx => tx.rows<{ verdict: string; due: number | null }>`
      select verdict, sweep_at as due
      from monitor_states
      where monitor_id = any(${[badId, goodId]})
      order by monitor_id = ${badId}`,
  );
  t.deepEqual(
    rows.map(({ verdict }) => verdict),
    ['undetermined', 'up'],
  );
  t.true((rows[1]?.due ?? 0) > nowMs, 'it is left alone for a while');
  t.true((await counted('verdicts')) >= 1);
});

test.serial('jobs that are late go down although another cannot be judged', async t => {
  const { badId, goodId, pool, metrics, sql, counted, plant } = await openPair(t, {
    kind: 'heartbeat',
    url: undefined,
    regions: undefined,
    heartbeat: { grace_seconds: 1 },
  });
  const nowMs = Date.now() + hourMs;
  await sql(async tx => {
    const at = new Date(nowMs - 5 * minuteMs).toISOString();
    await tx.run`
      update heartbeats
      set last_success_at = ${at}::timestamptz, expected_at = ${at}::timestamptz + interval '1 minute',
        expected_from = ${at}::timestamptz, gap_ms = 60000, due_at = ${at}::timestamptz + interval '61 seconds'
      where monitor_id = any(${[badId, goodId]})`;
    await tx.run`
      insert into front_attendance (id, started_at, renewed_at)
      values (gen_random_uuid(), ${at}::timestamptz, ${new Date(nowMs).toISOString()}::timestamptz)`;
  });
  await plant('heartbeats', 'update', 'monitor_id', badId);
  const { checks: hooks } = transactionHooks(metrics);
  const stored = await sql(tx => tx.row<{ edition: Edition }>`select edition from storage_edition`);
  const series = await openSeries(pool, sqlOf(pool), stored?.edition ?? 'plain');
  const services = { pool, series, hooks, templates: new TemplateDictionary() };
  for (let turn = 0; turn < 3; turn++) await judgeDeadlines(services, nowMs, nowMs);
  const rows = await sql(
    tx => tx.rows<{ verdict: string }>`
      select verdict from monitor_states where monitor_id = any(${[badId, goodId]}) order by monitor_id = ${badId}`,
  );
  t.deepEqual(
    rows.map(({ verdict }) => verdict === 'down'),
    [true, false],
  );
  t.is(await counted('deadlines'), 1, 'left out until it is tried again');
});

test.serial('alerts open by time although those of another monitor cannot be evaluated', async t => {
  const { badId, goodId, pool, lines, sql, counted } = await openPair(t, { alert_rules: { confirm_seconds: 60 } });
  const startMs = Date.now() + hourMs;
  await sql(async tx => {
    for (const id of [badId, goodId]) {
      await tx.run`
        insert into verdict_changes (monitor_id, project_id, since, verdict, votes, config_version)
        select monitor_id, project_id, to_timestamp(${startMs / 1000}), 'down', '{}', 1
        from monitor_states
        where monitor_id = ${id}`;
      await tx.run`update monitor_states set verdict = 'down', sweep_at = null where monitor_id = ${id}`;
      await tx.run`
        insert into alert_clocks (monitor_id, project_id, history, due_at)
        select monitor_id, project_id, ${id === badId ? '{}' : JSON.stringify({ rows: [] })},
          to_timestamp(${startMs / 1000 + 60})
        from monitor_states
        where monitor_id = ${id}
        on conflict (monitor_id) do update
        set history = excluded.history, due_at = excluded.due_at`;
    }
  });
  const opened: number[] = [];
  for (let turn = 0; turn < 3; turn++)
    await sweepAlerts(pool, counts => opened.push(counts.opened), startMs + 2 * minuteMs);
  t.is(
    opened.reduce((sum, count) => sum + count, 0),
    1,
  );
  t.is(await counted('alerts'), 1, 'left out until it is tried again');
  const apart = () =>
    sql(tx => tx.rows<{ failures: number }>`select failures from work_failures where item = ${badId}`);
  for (let turn = 1; turn <= 3; turn++) await sweepAlerts(pool, () => {}, startMs + turn * hourMs);
  t.true(((await apart())[0]?.failures ?? 0) >= setApartFailures);
  t.is(lines.length, 1, 'logged once a minute');
});

test.serial('alerts are escalated and held although that fails for another', async t => {
  // In an hour, where no timer of the replica looks.
  const policy = { severity: 'p1', escalate_after_minutes: 1 };
  const { world, badId, goodId, pool, sql, counted, plant } = await openPair(t, { alert_policy: policy });
  const nowMs = Date.now() + 2 * hourMs;
  await sql(async tx => {
    for (const id of [badId, goodId])
      await tx.run`
        insert into alerts (id, project_id, monitor_id, kind, title, severity, state, regions_failing, regions, quorum,
          reason, labels, rules_version, started_at, opened_at, told_at, last_seen_at, created_at)
        select 'alt_' || right(${id}, 26), project_id, id, 'down', 'down', 'p1', 'open', '{}', regions, 2, '{}', '{}',
          1,
          now() + interval '1 hour', now() + interval '1 hour', now() + interval '1 hour', now(), now()
        from monitors
        where id = ${id}`;
  });
  const bad = `alt_${badId.slice(-26)}`;
  const escalation = await plant('alerts', 'update', 'id', bad);
  t.is(await escalateAlerts(pool, nowMs), 1);
  t.is(await escalateAlerts(pool, nowMs), 0);
  const window = { title: 'w', scope: { monitor_ids: [badId, goodId] }, alerts: 'hold' };
  const planned = await world.api('POST', '/v0/maintenances', {
    ...window,
    starts_at: new Date(nowMs - 1000).toISOString(),
    ends_at: new Date(nowMs + hourMs).toISOString(),
  });
  t.is(planned.status, 201);
  await syncSuppressions(pool, nowMs + 1000);
  const held = await sql(
    tx =>
      tx.rows<{
        id: string;
        held: boolean;
      }>`select id, held from alerts where monitor_id = any(${[badId, goodId]}) order by id = ${bad}`,
  );
  t.deepEqual(
    held.map(row => row.held),
    [true, false],
  );
  t.deepEqual([await counted('escalation'), await counted('holds')], [1, 1]);
  await escalation.remove();
  await syncSuppressions(pool, nowMs + minuteMs);
  const after = await sql(tx => tx.row<{ held: boolean }>`select held from alerts where id = ${bad}`);
  t.true(after?.held);
});

test.serial('days are summed up and certificates looked at although that fails for another monitor', async t => {
  const { badId, goodId, pool, sql, counted, plant } = await openPair(t);
  await plant('check_totals', 'insert', 'monitor_id', badId);
  const nowMs = Date.now();
  const sum = () => transactionByItem(pool, tx => advanceTotals(tx, nowMs));
  for (let turn = 0; turn < 3; turn++) await sum();
  const totals = await sql(
    tx =>
      tx.rows<{ monitor_id: string }>`select monitor_id from check_totals where monitor_id = any(${[badId, goodId]})`,
  );
  t.deepEqual(totals, [{ monitor_id: goodId }]);
  t.is(await counted('check-totals'), 1);
  await sql(
    tx =>
      tx.run`
        update monitor_states
        set certificates_due_at = now() + interval '1 hour',
          certificates = '{"watch": {"facts": null, "resolvedAt": null}}'
        where monitor_id = any(${[badId, goodId]})`,
  );
  await sql(tx => tx.run`update monitor_states set certificates = null where monitor_id = ${goodId}`);
  for (let turn = 0; turn < 3; turn++) await sweepCertificates(pool, () => {}, Date.now() + 2 * hourMs);
  const due = await sql(
    tx =>
      tx.rows<{
        monitor_id: string;
      }>`
        select monitor_id
        from monitor_states
        where certificates_due_at <= now() + interval '2 hours' and monitor_id = any(${[badId, goodId]})`,
  );
  t.deepEqual(due, [{ monitor_id: badId }]);
});

test.serial('recurring windows are planned although that fails for another', async t => {
  const { world, goodId, pool, sql, counted, plant } = await openPair(t);
  const schedule = { start: '2027-01-01T10:00:00', duration_seconds: 1800, timezone: 'UTC', rrule: 'FREQ=DAILY' };
  const make = async () =>
    (await world.api('POST', '/v0/maintenances', { title: 'w', scope: { monitor_ids: [goodId] }, schedule })).body.id;
  const [bad, good] = [await make(), await make()];
  await sql(tx => tx.run`update maintenances set expand_at = now() + interval '1 hour' where id = any(${[bad, good]})`);
  await plant('maintenances', 'update', 'id', bad);
  const nowMs = Date.now() + 2 * hourMs;
  for (let turn = 0; turn < 3; turn++) await expandNext(pool, nowMs);
  const due = await sql(
    tx =>
      tx.rows<{
        id: string;
      }>`select id from maintenances where expand_at <= to_timestamp(${nowMs / 1000}) and id = any(${[bad, good]})`,
  );
  t.deepEqual(due, [{ id: bad }]);
  t.is(await counted('maintenance-plans'), 1);
});

test.serial('what is past its retention is deleted although something else cannot be', async t => {
  const { world, pools, log, sql, counted, plant } = await openPair(t);
  const { projectId } = world;
  await sql(
    tx =>
      tx.run`
        insert into facts (kind, project_id, subject, payload, at, due_at, done_at)
        values ('component.changed', ${projectId}, 'x', '{}', now(), now(), now() - interval '90 days')`,
  );
  const notice = `ntc_${projectId.slice(-26)}`;
  await sql(
    tx =>
      tx.run`
        insert into notices (
          id, project_id, kind, subject_type, subject_id, subject_name, title, detail, opened_at, closed_at
        )
        values (
          ${notice}, ${projectId}, 'region.silent', 'region', 'r', 'r', 't', 'd', now() - interval '200 days',
          now() - interval '199 days'
        )`,
  );
  await plant('facts', 'delete', 'project_id', projectId);
  const stored = await sql(tx => tx.row<{ edition: Edition }>`select edition from storage_edition`);
  const series = await openSeries(pools.background, sqlOf(pools.background), stored?.edition ?? 'plain');
  const services = { pools, series, clock: { now: Date.now }, log };
  await cleanUp(services, retentions({ ...services, auditDays: 400 }));
  t.is(await counted('retention'), 1);
  const left = await sql(tx => tx.rows`select 1 from notices where id = ${notice}`);
  t.deepEqual(left, []);
  const failed = await sql(tx => tx.rows<{ item: string }>`select item from work_failures where work = 'retention'`);
  t.deepEqual(failed, [{ item: 'facts' }]);
});
