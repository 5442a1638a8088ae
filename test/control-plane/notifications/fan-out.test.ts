import test from 'ava';
import fc from 'fast-check';
import { sqlOf } from '#control-plane/db/sql.ts';
import { transaction } from '#control-plane/db/transaction.ts';
import { claimFacts } from '#control-plane/facts/store.ts';
import { followForNotifications } from '#control-plane/notifications/fan-out.ts';
import { queueUpdate } from '#control-plane/notifications/fan-out-store.ts';
import { isId } from '#shared/ids.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';

const databaseOf = useDatabase(test);

/** Who is told, said plainly. */
function isTold(wanted: readonly string[], affected: readonly string[]): boolean {
  return wanted.length === 0 || affected.length === 0 || wanted.some(id => affected.includes(id));
}

test.serial('everybody is told who follows the page or an affected component, and nobody else', async t => {
  const world = await openNotificationWorld(t, databaseOf());
  const components = [world.component.id];
  for (const name of ['Web', 'Mail'])
    components.push((await world.api('POST', '/v0/components', { status_page_id: world.page.id, name })).body.id);
  const subsets = Array.from({ length: 8 }, (_, bits) => components.filter((__, place) => bits & (1 << place)));
  const wanted = new Map<string, readonly string[]>();
  for (const [place, subset] of subsets.entries())
    wanted.set((await world.subscriber(`s${place}@example.com`, subset)).body.id, subset);
  await world.api('POST', `/v0/status-pages/${world.page.id}/subscribers`, { email: 'pending@example.com' });
  await world.replica.stop();
  await withSql(databaseOf(), async sql => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...subsets), async affected => {
        const incidentId = `inc_${fc.sample(fc.uuid(), 1)[0]}`;
        const updateId = `upd_${incidentId}`;
        await sql.run(
          `insert into incidents (id, project_id, status_page_id, title, severity, impact, affected_components, started_at, created_at, updated_at)
           values ($1, $2, $3, 'x', 'p1', 'major', $4, now(), now(), now())`,
          [incidentId, world.projectId, world.page.id, affected],
        );
        await sql.run(
          `insert into incident_updates (id, incident_id, project_id, status_page_id, state, body, posted_at, feed_at)
           values ($1, $2, $3, $4, 'investigating', 'x', now(), clock_timestamp() + random() * interval '1000 days')`,
          [updateId, incidentId, world.projectId, world.page.id],
        );
        const count = await queueUpdate(sql, updateId, 1, Date.now(), Date.now());
        t.is(await queueUpdate(sql, updateId, 1, Date.now(), Date.now()), 0, 'twice adds nobody');
        const rows = await sql.rows<{ id: string; recipient: string }>(
          'select id, recipient from deliveries where subject = $1',
          [updateId],
        );
        const expected = [...wanted].filter(([, own]) => isTold(own, affected)).map(([id]) => id);
        t.deepEqual(rows.map(row => row.recipient).sort(), expected.sort());
        t.is(count, rows.length);
        t.true(rows.every(row => isId('dlv', row.id)));
      }),
      { numRuns: 30 },
    );
  });
});

test.serial('the second update can be followed first: what was earlier is queued before it all the same', async t => {
  const world = await openNotificationWorld(t, databaseOf());
  await world.subscriber('order@example.com');
  const { pools } = world.replica;
  const sql = sqlOf(pools.background);
  const incidentId = await world.incident({ initial_update: null });
  await sql.run(
    `insert into incident_updates (id, incident_id, project_id, status_page_id, state, body, posted_at, feed_at)
     select 'upd_' || n, $1, $2, $3, 'investigating', 'x', now() + n * interval '1 second', now() + n * interval '1 day' from generate_series(1, 2) as n`,
    [incidentId, world.projectId, world.page.id],
  );
  // Due tomorrow: nobody else follows them meanwhile.
  await sql.run(
    `insert into facts (kind, project_id, subject, payload, at, due_at)
     select 'incident.updated', $2, 'upd_' || n, json_build_object('incident_id', $1::text, 'status_page_id', $3::text, 'state', 'investigating'), now(), now() + interval '1 day'
     from generate_series(1, 2) as n order by n`,
    [incidentId, world.projectId, world.page.id],
  );
  await transaction(pools.background, async tx => {
    const facts = await claimFacts(tx, Date.now() + 2 * 86_400_000, 100);
    const second = facts.find(fact => fact.subject === 'upd_2');
    if (second === undefined) throw new Error('the fact is missing');
    await followForNotifications(tx, second, 'http://localhost:8080', Date.now());
  });
  const rows = await sql.rows<{ subject: string; sequence: number }>(
    "select subject, sequence from deliveries where thread = $1 and kind = 'incident_update' order by sequence",
    [incidentId],
  );
  t.deepEqual(
    rows.map(row => row.subject),
    ['upd_1', 'upd_2'],
  );
});
