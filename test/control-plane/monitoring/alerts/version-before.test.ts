import test from 'ava';
import { findAlert } from '#control-plane/monitoring/alerts/store.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

// The statements of 0.4.0, which may run beside this version or be gone back to.

const databaseOf = useDatabase(test);

test('the version before opens, escalates and resolves its alerts beside one of a kind of today', async t => {
  const { post, projectId } = await openMonitorWorld(t, databaseOf());
  const { id: monitorId } = (await post({ alert_policy: { escalate_after_minutes: 1 } })).body;
  const at = instant(Date.now() - 3_600_000);
  await withSql(databaseOf(), async sql => {
    await sql.run`
      insert into alerts (
        id, project_id, monitor_id, kind, own_state, title, severity, state, regions_failing, regions, quorum, reason,
        started_at, last_seen_at, created_at
      )
      values (
        'alt_c', ${projectId}, ${monitorId}, 'certificate', 'open', 'c', 'p3', 'resolved', '{}', '{}', 1, '{}', ${at},
        ${at}, ${at}
      )`;
    const open = () => sql.row<{ id: string }>`
      insert into alerts (
        id, project_id, monitor_id, title, severity, state, regions_failing, regions, quorum, reason, labels,
        started_at, last_seen_at, created_at
      )
      values (
        'alt_d', ${projectId}, ${monitorId}, 'd', 'p2', 'open', '{}', '{}', 1, '{}', '{}', ${at}, ${at}, ${at}
      )
      on conflict (monitor_id) where state <> 'resolved' do nothing
      returning id`;
    t.deepEqual(await open(), { id: 'alt_d' });
    t.is(await open(), null);
    const down = await findAlert(sql, projectId, 'alt_d');
    t.like(down, { kind: 'down', state: 'open', held: false, flapping_since: null });
    t.true(Math.abs((down?.opened_at ?? 0) - Date.now()) < 60_000);
    await sql.run`
      update alerts a
      set escalated_at = now()
      from monitors m
      where m.id = a.monitor_id
        and a.state = 'open'
        and a.escalated_at is null
        and a.started_at + (m.alert_policy->>'escalate_after_minutes')::integer * interval '1 minute' <= now()`;
    // The replica of today may have been faster.
    const escalated = await sql.rows<{ id: string }>`select id from alerts where escalated_at is not null`;
    t.deepEqual(escalated, [{ id: 'alt_d' }]);
    const resolved = await sql.rows<{ id: string }>`
      update alerts
      set state = 'resolved', resolved_at = now()
      where monitor_id = ${monitorId} and state <> 'resolved'
      returning id`;
    t.deepEqual(resolved, [{ id: 'alt_d' }]);
    t.like(await findAlert(sql, projectId, 'alt_c'), { kind: 'certificate', state: 'open', resolved_at: null });
  });
});
