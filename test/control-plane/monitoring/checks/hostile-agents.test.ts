import test from 'ava';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { offsetMs } from '#shared/slots.ts';
import { apiOf, createRegions, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { withClosedHours } from '#test/support/current-hours.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);
const intervalMs = 10_000;

/** A monitor in a private region of its project, and one of another project in a shared region. */
async function openWorld(code: string, own?: RunningControlPlane) {
  const url = database();
  const [customer, other] = [await createTenant(url), await createTenant(url)];
  const secrets = await createRegions(url, [`${code}-own`], customer.projectId);
  const shared = await createRegions(url, [`${code}-shared`]);
  const replica = own ?? (await sharedReplica(url));
  const create = async (token: string, region: string) => {
    const body = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, timeout_ms: 1000, regions: [region] };
    const made = await apiOf(replica.url, token)('POST', '/v0/monitors', body);
    return String(made.body.id);
  };
  return {
    monitor: await create(customer.token, `${code}-own`),
    otherMonitor: await create(other.token, `${code}-shared`),
    region: `${code}-own`,
    customer: apiOf(replica.url, customer.token),
    connectOwn: () => connectFakeAgent(replica.url, secrets[`${code}-own`]?.secret ?? ''),
    connectShared: () => connectFakeAgent(replica.url, shared[`${code}-shared`]?.secret ?? ''),
  };
}

/** The last slot of a monitor of one region that has begun. */
function lastSlot(monitorId: string, region: string): number {
  const offset = offsetMs(monitorId, intervalMs, region, [region]);
  return Math.floor((Date.now() - offset) / intervalMs) * intervalMs + offset;
}

test('an agent of a private region reports what its slots call for, and nothing else', async t => {
  const world = await openWorld('slots');
  await using agent = await world.connectOwn();
  const slot = lastSlot(world.monitor, world.region);
  const refused = await agent.report([
    goodResult(world.monitor, slot),
    goodResult(world.monitor, slot + 1),
    goodResult(world.monitor, slot - 60 * intervalMs),
    goodResult(world.monitor, Date.now(), { kind: 'confirm' }),
  ]);
  t.deepEqual(
    refused.map(({ reason }) => reason),
    ['not_its_slot', 'not_its_slot'],
  );
  const { data } = (await world.customer('GET', `/v0/monitors/${world.monitor}/checks`)).body;
  t.is(data.length, 2);
});

test('the check at creation counts for the schedule', async t => {
  const world = await openWorld('first');
  await using agent = await world.connectOwn();
  const asked = await until(
    () => agent.messages.flatMap(message => (message.type === 'check_now' ? [message] : [])),
    messages => messages.length > 0,
  );
  const [first] = asked;
  t.is(first?.kind, 'scheduled');
  t.deepEqual(await agent.report([goodResult(world.monitor, first?.at ?? 0)]), []);
  const uptime = await world.customer('GET', `/v0/monitors/${world.monitor}/uptime?granularity=day`);
  t.is(uptime.body.data.at(-1).checks.ok, 1);
});

test('a check on request is accepted of the region that was asked, and at that instant only', async t => {
  const world = await openWorld('wanted');
  await using agent = await world.connectOwn();
  const { status, body } = await world.customer('POST', `/v0/monitors/${world.monitor}/check-now`);
  t.deepEqual([status, body.regions], [202, [world.region]]);
  const at = Date.parse(body.at);
  await until(() => agent.messages.some(message => message.type === 'check_now' && message.at === at), true);
  const refused = await agent.report([at, at + 1].map(scheduledAt => goodResult(world.monitor, scheduledAt)));
  t.deepEqual(
    refused.map(({ reason }) => reason),
    ['not_its_slot'],
  );
  const { data } = (await world.customer('GET', `/v0/monitors/${world.monitor}/checks`)).body;
  t.like(data[0], { scheduled_at: body.at, kind: 'scheduled', status: 'ok' });
});

test('in the place of a result that is malformed but for its key, a fault of the probe is stored', async t => {
  const world = await openWorld('odd');
  await using agent = await world.connectOwn();
  const slot = lastSlot(world.monitor, world.region);
  const refused = await agent.report([goodResult(world.monitor, slot, { status_code: 42 })]);
  t.is(refused[0]?.reason, 'malformed');
  const { data } = (await world.customer('GET', `/v0/monitors/${world.monitor}/checks`)).body;
  t.like(data[0], { status: 'err', failure_source: 'probe', error: { code: 'protocol_error' } });
  const { votes } = (await world.customer('GET', `/v0/monitors/${world.monitor}`)).body;
  t.like(votes[0], { vote: 'unknown', reason: 'probe' });
});

test('in the place of a due check that a suspended host stretched, a fault of the probe is stored', async t => {
  const world = await openWorld('suspended');
  await using agent = await world.connectOwn();
  const slot = lastSlot(world.monitor, world.region);
  const stretched = { started_at: slot, completed_at: slot + 2 * minuteMs };
  const reported = [slot, slot + 1].map(scheduledAt => goodResult(world.monitor, scheduledAt, stretched));
  const refused = await agent.report(reported);
  t.deepEqual(
    refused.map(({ reason }) => reason),
    ['not_its_slot'],
  );
  const { data } = (await world.customer('GET', `/v0/monitors/${world.monitor}/checks`)).body;
  t.like(data[0], { status: 'err', failure_source: 'probe', error: { code: 'timeout' } });
});

test('confirmations that nobody asked for fill their hour and no more', async t => {
  const world = await openWorld('flood');
  await using agent = await world.connectOwn();
  const start = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
  const flood = Array.from({ length: 1600 }, (_, index) =>
    goodResult(world.monitor, start + index, { kind: 'confirm' }),
  );
  const refused: unknown[] = [];
  for (let index = 0; index < flood.length; index += 400)
    refused.push(...(await agent.report(flood.slice(index, index + 400))));
  t.is(refused.length, 160);
});

test('a full bin of an hour’s histogram takes more results', async t => {
  const world = await openWorld('bins');
  await using agent = await world.connectShared();
  const at = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
  const result = (index: number) => goodResult(world.otherMonitor, at + index, { latency_ms: 12.5 });
  t.deepEqual(await agent.report([result(0)]), []);
  await withClosedHours(
    database(),
    sql => sql.run`
      update checks_hourly
      set latency_bins[12] = 32767
      where monitor_id = ${world.otherMonitor}`,
    world.otherMonitor,
  );
  t.deepEqual(await agent.report([result(1)]), []);
  t.deepEqual(await agent.report([result(2), result(3)]), []);
  const row = await withClosedHours(
    database(),
    sql => sql.row<{ ok: number; bin: number }>`
      select ok, latency_bins[12] as bin
      from checks_hourly
      where monitor_id = ${world.otherMonitor}`,
    world.otherMonitor,
  );
  t.deepEqual(row, { ok: 4, bin: 32_767 });
});

test('an agent whose results the database rejects is stored apart, and others do not wait for it', async t => {
  // Of its own: results of others would be tried again with the poisoned ones.
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const world = await openWorld('poison', replica);
  await using poisoned = await world.connectOwn();
  await using honest = await world.connectShared();
  const pool = replica.pools.background;
  await pool.query(`
    create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if new.status_code = 599 then
          raise exception 'poison' using errcode = '22003';
        end if;
        return new;
      end
    $$`);
  await pool.query(
    'create trigger poison before insert on check_results for each row execute function refuse_poison()',
  );
  const now = Date.now();
  const poison = Array.from({ length: 200 }, (_, index) =>
    goodResult(world.monitor, now - index, { kind: 'confirm', status_code: index === 7 ? 200 : 599 }),
  );
  let isSettled = false;
  const settled = poisoned.report(poison).finally(() => {
    isSettled = true;
  });
  t.deepEqual(await honest.report([goodResult(world.otherMonitor, now)]), []);
  t.deepEqual(await honest.report([goodResult(world.otherMonitor, now + 1)]), []);
  t.false(isSettled);
  t.deepEqual(new Set((await settled).map(({ reason }) => reason)), new Set(['malformed']));
  t.is((await settled).length, 199);
});
