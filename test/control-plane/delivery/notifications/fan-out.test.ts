import test from 'ava';
import fc from 'fast-check';
import { fanOutFact } from '#control-plane/delivery/notifications/fan-out.ts';
import { insertUpdateDeliveries } from '#control-plane/delivery/notifications/fan-out-store.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { claimFacts } from '#control-plane/platform/facts/store.ts';
import { isId } from '#shared/ids.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type NotificationWorld, openNotificationWorld } from '#test/support/notification-world.ts';

const databaseOf = useDatabase(test);

/** The rule in plain words: the whole page, or a component in common. */
function isNotified(subscribed: readonly string[], affected: readonly string[]): boolean {
  return subscribed.length === 0 || affected.length === 0 || subscribed.some(id => affected.includes(id));
}

async function insertIncident(sql: Sql, world: NotificationWorld, affected: readonly string[]): Promise<string> {
  const incidentId = `inc_${fc.sample(fc.uuid(), 1)[0]}`;
  const { projectId, page } = world;
  await sql.run`
    insert into incidents (
      id, project_id, status_page_id, title, severity, impact, affected_components, started_at, created_at, updated_at
    )
    values (${incidentId}, ${projectId}, ${page.id}, 'x', 'p1', 'major', ${affected}, now(), now(), now())`;
  return incidentId;
}

async function insertUpdates(sql: Sql, world: NotificationWorld, incidentId: string, ids: readonly string[]) {
  const { projectId, page } = world;
  await sql.run`
    insert into incident_updates (id, incident_id, project_id, status_page_id, state, body, posted_at, feed_at)
    select
      id, ${incidentId}, ${projectId}, ${page.id}, 'investigating', 'x', now() + number * interval '1 second',
      clock_timestamp() + number * interval '1 day' + random() * interval '1000 days'
    from unnest(${ids}::text[]) with ordinality as new (id, number)`;
}

test.serial('an update goes to subscribers of the page or of an affected component, and to nobody else', async t => {
  const world = await openNotificationWorld(t, databaseOf(), {});
  const components = [world.component.id];
  for (const name of ['Web', 'Email'])
    components.push((await world.api('POST', '/v0/components', { status_page_id: world.page.id, name })).body.id);
  const subsets = Array.from({ length: 8 }, (_, bits) => components.filter((__, index) => bits & (1 << index)));
  const subscribed = new Map<string, readonly string[]>();
  for (const [index, subset] of subsets.entries())
    subscribed.set((await world.subscriber(`s${index}@example.com`, subset)).body.id, subset);
  await world.api('POST', `/v0/status-pages/${world.page.id}/subscribers`, { email: 'pending@example.com' });
  await world.replica.stop();
  await withSql(databaseOf(), async sql => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...subsets), fc.integer({ min: 1, max: 12 }), async (affected, portion) => {
        const incidentId = await insertIncident(sql, world, affected);
        const updateId = `upd_${incidentId}`;
        await insertUpdates(sql, world, incidentId, [updateId]);
        const update = { id: updateId, sequence: 1, createdAt: Date.now() };
        const count = await insertUpdateDeliveries(sql, update, Date.now(), portion);
        t.is(await insertUpdateDeliveries(sql, update, Date.now()), 0, 'idempotent');
        const rows = await sql.rows<{ id: string; recipient: string }>`
          select id, recipient
          from deliveries
          where subject = ${updateId}`;
        const expected = [...subscribed].filter(([, subset]) => isNotified(subset, affected)).map(([id]) => id);
        t.deepEqual(rows.map(row => row.recipient).sort(), expected.sort());
        t.is(count, rows.length);
        t.true(rows.every(row => isId('dlv', row.id)));
      }),
      { numRuns: 30 },
    );
  });
});

test.serial('an earlier fact of the incident is queued first, even if a later one is dispatched before it', async t => {
  const world = await openNotificationWorld(t, databaseOf(), {});
  await world.subscriber('order@example.com');
  const { pools } = world.replica;
  const sql = sqlOf(pools.background);
  const incidentId = await world.incident({ initial_update: null });
  // While a turn of the project runs, nobody else may claim its facts.
  await world.factsDispatched();
  await insertUpdates(sql, world, incidentId, ['upd_1', 'upd_2']);
  const payload = { incident_id: incidentId, status_page_id: world.page.id, state: 'investigating' };
  // Due tomorrow, so that the replica does not dispatch them meanwhile.
  await sql.run`
    insert into facts (kind, project_id, subject, payload, at, due_at)
    select
      'incident.updated', ${world.projectId}, 'upd_' || number, ${JSON.stringify(payload)}, now(),
      now() + interval '1 day'
    from generate_series(1, 2) as number
    order by number`;
  await transaction(pools.background, async tx => {
    const facts = await claimFacts(tx, world.projectId, Date.now() + 2 * 86_400_000, 100);
    const second = facts.find(fact => fact.subject === 'upd_2');
    if (second === undefined) throw new Error('the fact is missing');
    await fanOutFact(tx, second, 'http://localhost:8080', Date.now());
  });
  const rows = await sql.rows<{ subject: string }>`
    select subject
    from deliveries
    where thread = ${incidentId}
      and kind = 'incident_update'
    order by sequence`;
  t.deepEqual(
    rows.map(row => row.subject),
    ['upd_1', 'upd_2'],
  );
});
