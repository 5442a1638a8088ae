import { randomUUID } from 'node:crypto';
import test from 'ava';
import { apiOf, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { stopLimiterClock } from '#test/support/events.ts';

const databaseOf = useDatabase(test);

test.serial('a visitor who sends all that is allowed delays no event of another project', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  // It stands still: however slow this machine is, an address has its 300 tokens and no more.
  await stopLimiterClock(databaseOf());
  const [attacked, other] = [await createTenant(databaseOf()), await createTenant(databaseOf())];
  const page = apiOf(replica.url, '');
  const path = `/v0/events?project_id=${attacked.projectId}`;
  const largest = JSON.stringify(Array.from({ length: 60 }, () => ({ name: 'a', props: { text: 'x'.repeat(4000) } })));
  const statuses = new Map<string, number>();
  let isOver = false;
  const attack = async (kind: string, body: string, headers: () => Record<string, string>) => {
    for (let sent = 0; sent < 1000 && !isOver; sent++) {
      const { status } = await page('POST', path, body, headers());
      statuses.set(`${kind} ${status}`, (statuses.get(`${kind} ${status}`) ?? 0) + 1);
    }
  };
  const attackers = [
    ...Array.from({ length: 5 }, () => attack('large', largest, () => ({}))),
    ...Array.from({ length: 15 }, () => attack('keyed', '[{}]', () => ({ 'idempotency-key': randomUUID() }))),
  ];
  const api = apiOf(replica.url, other.token);
  const times: number[] = [];
  for (let sent = 0; sent < 40; sent++) {
    const startMs = performance.now();
    const answer = await api('POST', '/v0/events', { name: 'mine' }, sent % 2 === 0 ? {} : key());
    t.is(answer.status, 202);
    times.push(performance.now() - startMs);
  }
  await until(
    async () => statuses.get('keyed 429') ?? 0,
    refused => refused > 0,
  );
  isOver = true;
  await Promise.all(attackers);
  // On a busy machine a single one may take long for other reasons.
  const medianMs = times.toSorted((one, other) => one - other)[times.length / 2] ?? 0;
  t.true(medianMs < 5000, `${medianMs} ms, ${JSON.stringify([...statuses])}`);
  const stored = await withSql(
    databaseOf(),
    sql =>
      sql.row<{ bytes: number; keys: number }>`
        select
          (select coalesce(sum(length(props::text)), 0) from events where project_id = ${attacked.projectId}) as bytes,
          (select count(*) from idempotency_keys where project_id = ${attacked.projectId}) as keys`,
  );
  t.true((stored?.bytes ?? 0) <= 300 * 1024, `${stored?.bytes} bytes`);
  t.is(stored?.keys, 0);
});

test.serial('a keyed request with nothing valid needs no connection of the database', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { token } = await createTenant(databaseOf());
  for (const pool of [replica.pools.ingest, replica.pools.api])
    Object.assign(pool, { connect: () => Promise.reject(new Error('a connection was asked for')) });
  const answer = await apiOf(replica.url, token)('POST', '/v0/events', [{}, { name: 5 }], key());
  t.is(answer.status, 422);
  t.is(answer.body.errors.length, 2);
});

test.serial('refused events are counted by reason', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseOf());
  await apiOf(replica.url, token)('POST', '/v0/events', [{}, {}, { name: 'a' }]);
  const page = apiOf(replica.url, '');
  const many = Array.from({ length: 300 }, () => ({ name: 'a' }));
  await page('POST', `/v0/events?project_id=${projectId}`, many);
  await page('POST', `/v0/events?project_id=${projectId}`, many);
  const metrics = await (await fetch(`${replica.url}/metrics`)).text();
  t.true(metrics.includes('upquorum_events_refused_total{reason="required"} 2'));
  t.regex(metrics, /upquorum_events_refused_total\{reason="rate_limited"\} \d+\n/);
  t.true(metrics.includes('upquorum_roll_up_lag_seconds'));
});

function key(): Record<string, string> {
  return { 'idempotency-key': randomUUID() };
}
