import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { escalateAlerts } from '#control-plane/monitoring/alerts/escalate.ts';
import { openAlert } from '#control-plane/monitoring/alerts/open.ts';
import { resolveAlert } from '#control-plane/monitoring/alerts/resolve.ts';
import { syncSuppressions } from '#control-plane/monitoring/maintenances/suppress.ts';
import {
  mergeSpans,
  outsideMs,
  type SuppressedSpan,
  suppressionAt,
} from '#control-plane/monitoring/memberships/window.ts';
import { hourMs, minuteMs, secondMs } from '#shared/duration.ts';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeState, testRules } from '#test/support/monitor-state.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const at = (ms: number) => new Date(ms).toISOString();

async function openWorld(t: ExecutionContext, monitorFields: Record<string, unknown> = {}) {
  const world = await openMonitorWorld(t, databaseOf());
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const { id: monitorId } = (await world.post({ name: 'shop', ...monitorFields })).body;
  const rules = { ...testRules, regions: world.regions };
  const state = makeState({ monitorId, projectId: world.projectId, rules, verdict: 'down' });
  const votes = Object.fromEntries(world.regions.map(region => [region, 'down' as const]));
  const open = (nowMs: number) =>
    withSql(databaseOf(), sql =>
      openAlert(sql, state, { since: nowMs, verdict: 'down', votes, configVersion: 1 }, nowMs),
    );
  const resolve = (nowMs: number) => withSql(databaseOf(), sql => resolveAlert(sql, state, nowMs, nowMs));
  const alert = async () => (await world.api('GET', '/v0/alerts')).body.data[0];
  const plan = async (startMs: number, endMs: number, fields: Record<string, unknown> = {}) => {
    const body = {
      title: 'Upgrade',
      scope: { monitor_ids: [monitorId] },
      starts_at: at(startMs),
      ends_at: at(endMs),
      ...fields,
    };
    return (await world.api('POST', '/v0/maintenances', body)).body;
  };
  const facts = () =>
    withSql(databaseOf(), async sql =>
      (
        await sql.rows<{ kind: string }>`
          select kind
          from facts
          where project_id = ${world.projectId} and kind like 'alert.%'
          order by id`
      ).map(({ kind }) => kind),
    );
  const sync = (nowMs: number) => syncSuppressions(pools.background, nowMs);
  const hook = await world.api('POST', '/v0/webhooks', {
    url: 'http://127.0.0.1:9/',
    kinds: ['alert.opened', 'alert.resolved', 'alert.acknowledged', 'alert.escalated'],
  });
  t.is(hook.status, 201);
  /** Kinds of what was queued for the webhook, once every fact is dispatched. */
  const told = async () => {
    // Some were appended at a later time than that of the replica's clock.
    const { projectId } = world;
    await withSql(databaseOf(), sql => sql.run`update facts set due_at = now() where project_id = ${projectId}`);
    await until(async () => {
      const row = await withSql(
        databaseOf(),
        sql => sql.row<{ n: number }>`
        select count(*) as n from facts where done_at is null and project_id = ${world.projectId}`,
      );
      return row?.n;
    }, 0);
    const { data } = (await world.api('GET', '/v0/deliveries?limit=200')).body;
    return data.map((row: { subject: string }) => row.subject.split(' ')[0]).toReversed();
  };
  return { ...world, monitorId, open, resolve, alert, plan, facts, sync, told, pool: pools.background };
}

test.serial('down inside and up again: nothing is announced', async t => {
  const { open, resolve, alert, plan, facts, told } = await openWorld(t);
  const now = Date.now();
  await plan(now - minuteMs, now + hourMs);
  t.true(await open(now));
  t.like(await alert(), { held: true, state: 'open', released_at: null });
  await resolve(now + minuteMs);
  t.like(await alert(), { held: true, state: 'resolved' });
  t.deepEqual((await facts()).slice(0, 1), ['alert.held']);
  t.deepEqual(await told(), []);
});

test.serial('down over the end: told once, settle_seconds after it, by one of several replicas', async t => {
  const { api, open, alert, plan, facts, sync, told } = await openWorld(t);
  const now = Date.now();
  const end = now + hourMs;
  const { id } = await plan(now - minuteMs, end, { settle_seconds: 90 });
  await open(now);
  t.is(await sync(end - 1), 0);
  t.is(await sync(end + 90 * secondMs - 1), 0);
  t.true((await alert()).held, 'still settling');
  const explained = async () => (await api('GET', `/v0/alerts/${(await alert()).id}/explanation`)).body.maintenance;
  const { occurrence_id, ...held } = await explained();
  t.regex(occurrence_id, /^mno_/);
  t.deepEqual(held, { id, ends_at: at(end), held_since: at(now), released_at: null });
  const counts = await Promise.all(Array.from({ length: 4 }, () => sync(end + 95 * secondMs)));
  t.is(
    counts.reduce((sum, count) => sum + count, 0),
    1,
  );
  // The replica's own clock is still within the window.
  t.is((await alert()).released_at, at(end + 90 * secondMs));
  t.is((await explained()).released_at, at(end + 90 * secondMs));
  t.deepEqual(await facts(), ['alert.held', 'alert.opened']);
  t.deepEqual(await told(), ['alert.opened']);
});

test.serial('open before: silence inside, the resolution at once, and clocks stand still', async t => {
  const alert_policy = { severity: 'p2', slack_channel: null, escalate_after_minutes: 10 };
  const { open, resolve, alert, plan, sync, told, pool } = await openWorld(t, { alert_policy });
  const now = Date.now();
  await open(now - 5 * minuteMs);
  t.deepEqual(await told(), ['alert.opened']);
  const end = now + hourMs;
  await plan(now - 10 * secondMs, end);
  await until(async () => (await alert()).held, true);
  t.is(await escalateAlerts(pool, end - 1), 0, 'silent inside');
  // By its own clock the replica is within the window, and soon holds the alert again.
  await sync(end);
  const escalated = [await escalateAlerts(pool, end + 4 * minuteMs), await escalateAlerts(pool, end + 6 * minuteMs)];
  t.deepEqual(escalated, [0, 1], 'five minutes were left when it began');
  t.is((await alert()).released_at, null, 'told before: not told again');
  await plan(now - 10 * secondMs, end + hourMs);
  await resolve(Date.now());
  t.deepEqual((await told()).sort(), ['alert.escalated', 'alert.opened', 'alert.resolved']);
});

test.serial('windows that touch are one hold; a deleted one holds nothing; `send` holds nothing', async t => {
  const { api, monitorId, open, alert, plan, sync } = await openWorld(t);
  const now = Date.now();
  const end = now + hourMs;
  await plan(now - minuteMs, now - secondMs, { alerts: 'hold' });
  const sending = await plan(now - minuteMs, end, { alerts: 'send' });
  await open(now);
  t.like(await alert(), { held: false }, 'sent');
  await api('DELETE', `/v0/maintenances/${sending.id}`);
  const first = await plan(now - minuteMs, end);
  await plan(end, end + hourMs, { settle_seconds: 0 });
  await until(async () => (await alert()).held, true);
  const heldMs = async () =>
    (
      await withSql(
        databaseOf(),
        sql => sql.row<{ held_ms: number }>`
      select held_ms
      from alerts
      where monitor_id = ${monitorId}`,
      )
    )?.held_ms;
  await sync(end + 30 * minuteMs);
  t.is(await heldMs(), 0, 'the next one holds on');
  await sync(end + hourMs);
  t.true(Number(await heldMs()) > hourMs + 50 * minuteMs, 'both as one');
  await api('DELETE', `/v0/maintenances/${first.id}`);
  await until(async () => (await alert()).held, false);
});

const spans = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 15 }), fc.integer({ min: 0, max: 5 }))
    .map(([start, length, settleMs]): SuppressedSpan => ({ start, end: start + length, settleMs })),
  { maxLength: 6 },
);

test('what holds at an instant is what a walk over every millisecond finds', t => {
  const property = fc.property(spans, fc.integer({ min: 0, max: 80 }), fc.nat({ max: 40 }), (all, atMs, since) => {
    const covers = (ms: number) => all.some(({ start, end }) => start <= ms && ms < end);
    const found = suppressionAt(all, since, atMs);
    if (covers(atMs)) {
      let end = atMs;
      while (covers(end)) end += 1;
      t.deepEqual(found, { state: 'suppressed', end });
    } else {
      let end = atMs;
      while (end > since && !covers(end - 1)) end -= 1;
      t.is(found?.end ?? null, end > since && end > 0 ? end : null);
      const settles = all.filter(span => span.end === end).map(span => span.settleMs);
      if (found?.state === 'settling') t.is(found.releaseAt, end + Math.max(...settles));
    }
    let outside = 0;
    for (let ms = since; ms < 80; ms++) outside += Number(!covers(ms));
    t.is(outsideMs(all, since, 80), outside);
    t.true(mergeSpans(all).every(({ start }, index, merged) => index === 0 || start > (merged[index - 1]?.end ?? 0)));
  });
  fc.assert(property, { numRuns: 500 });
});
