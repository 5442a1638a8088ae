import test from 'ava';
import { type GatewayTimerServices, gatewayTimers } from '#control-plane/monitoring/timers.ts';
import { onCallTimers } from '#control-plane/on-call/timers.ts';
import { type Fragment, fragment, type Sql } from '#control-plane/platform/db/sql.ts';
import { factsTimer } from '#control-plane/platform/facts/facts-timer.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import type { WorkerServices } from '#control-plane/platform/services.ts';
import { dueFinder } from '#control-plane/platform/timers/due-store.ts';
import type { DueTimer } from '#control-plane/platform/timers/timers.ts';
import { isAnyPageDue } from '#control-plane/publishing/status-pages/publish/publication-store.ts';
import { apiOf, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { fillProject, secretName } from '#test/support/filled-project.ts';

const databaseOf = useDatabase(test);

const services = {
  pools: {},
  clock: { now: () => Date.now() },
  metrics: createMetrics(),
} as unknown as GatewayTimerServices & WorkerServices;

/** As the roles start them; publishing would start a thread. */
const timers = [
  ...gatewayTimers(services),
  ...onCallTimers(services),
  factsTimer(services, async () => {}),
  { name: 'publishing', everyMs: 250, due: isAnyPageDue, run: async () => {} },
].filter((timer): timer is DueTimer => timer.due !== undefined);

async function listDue(sql: Sql): Promise<string[]> {
  const hold = await dueFinder(sql, services.clock)(timers);
  return timers.filter((_, index) => hold[index]).map(({ name }) => name);
}

/** What is done, or not due for hours. */
const resting = [
  fragment`delete from quiet_digests`,
  fragment`delete from work_failures`,
  fragment`delete from domain_lookups`,
  fragment`delete from page_requests`,
  fragment`update monitor_states set sweep_at = now() + '1 h', certificates_due_at = now() + '1 h', replay_from = null`,
  fragment`update alert_clocks set due_at = now() + '1 h'`,
  fragment`update heartbeats set due_at = now() + '1 h'`,
  fragment`update maintenance_occurrences set due_at = now() + '1 h'`,
  fragment`update alerts set state = 'resolved', resolved_at = now()`,
  fragment`update facts set done_at = now()`,
  fragment`update alert_groups set due_at = now() + '1 h'`,
  fragment`update page_publications set due_at = now() + '1 h', error = null`,
];

const cases: readonly [change: Fragment, due: string[]][] = [
  [fragment`update monitor_states set sweep_at = now() - interval '1 minute'`, ['sweep']],
  [fragment`update monitor_states set certificates_due_at = now() - interval '1 minute'`, ['sweep']],
  [fragment`update alert_clocks set due_at = now() - interval '1 minute'`, ['sweep']],
  [
    fragment`insert into work_failures (work, item, first_at, last_at, retry_at, error)
     select 'alerts', 'x', at, at, at, 'x' from (select now() - interval '1 minute' as at) t`,
    ['sweep'],
  ],
  [fragment`update heartbeats set due_at = now() - interval '1 minute'`, ['deadlines']],
  [fragment`insert into domain_lookups (name, due_at) values ('a.example', now() + '1 h')`, ['lookups']],
  [fragment`update monitor_states set replay_from = now() - interval '1 minute'`, ['replay']],
  [fragment`update maintenance_occurrences set due_at = now() - interval '1 minute'`, ['maintenance']],
  [fragment`update alerts set state = 'acknowledged', resolved_at = null`, ['holds']],
  [fragment`update alerts set state = 'open', resolved_at = null, escalated_at = null`, ['holds', 'escalation']],
  [fragment`update facts set done_at = null, due_at = now() - interval '1 minute'`, ['facts']],
  [fragment`update alert_groups set due_at = now() - interval '1 minute'`, ['alert-groups']],
  [
    fragment`insert into quiet_digests (channel_id, project_id, group_ids, due_at)
     select id, project_id, '{}', now() - interval '1 minute' from channels limit 1`,
    ['alert-groups'],
  ],
  [fragment`update page_publications set due_at = now() - interval '1 minute'`, ['publishing']],
  [
    fragment`insert into page_requests (status_page_id, project_id, requested_at)
     select status_page_id, project_id, now() from page_publications limit 1`,
    ['publishing'],
  ],
];

test('each condition of a timer holds for what the timer does, and for nothing else', async t => {
  const { projectId, token } = await createTenant(databaseOf());
  {
    const replica = await startReplica(databaseOf());
    t.teardown(() => replica.stop());
    const api = apiOf(replica.url, token);
    await fillProject(databaseOf(), projectId, api);
    const heartbeat = { name: `${secretName} job`, kind: 'heartbeat', interval_seconds: 60, heartbeat: {} };
    t.is((await api('POST', '/v0/monitors', heartbeat)).status, 201);
    await replica.stop();
  }
  await withSql(databaseOf(), async sql => {
    const run = (change: Fragment) => sql.run`${change}`;
    await sql.run`
      insert into alert_clocks (monitor_id, project_id, history, due_at)
      select id, project_id, '[]', null from monitors on conflict do nothing`;
    for (const [index, [change, due]] of cases.entries()) {
      for (const each of resting) await run(each);
      t.deepEqual(await listDue(sql), [], `before case ${index}`);
      await run(change);
      t.deepEqual(await listDue(sql), due, `case ${index}`);
    }
  });
});
