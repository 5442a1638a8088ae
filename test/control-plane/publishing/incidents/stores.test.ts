import test from 'ava';
import { unknownComponents } from '#control-plane/monitoring/components/reference-store.ts';
import { markComponentDeleted } from '#control-plane/monitoring/components/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { openIncident } from '#control-plane/publishing/incidents/open.ts';
import { postUpdate } from '#control-plane/publishing/incidents/post-update.ts';
import { findIncident, lockIncident, viewIncident } from '#control-plane/publishing/incidents/store.ts';
import { measureUpdates } from '#control-plane/publishing/incidents/update-store.ts';
import { markStatusPageDeleted } from '#control-plane/publishing/status-pages/store.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { createComponent, createIncident, createPage, type PageRows } from '#test/support/page-rows.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 20, 12);

async function post(sql: Sql, page: PageRows, incidentId: string, state: 'identified' | 'resolved', atMs: number) {
  const incident = await lockIncident(sql, page.projectId, incidentId);
  if (incident === null) throw new Error('there is no such incident');
  return postUpdate(sql, incident, { state, body: 'text' }, atMs);
}

const factsOf = async (sql: Sql, page: PageRows) => {
  const rows = await sql.rows<{ kind: string }>`
    select kind
    from facts
    where project_id = ${page.projectId}
    order by id`;
  return rows.map(row => row.kind);
};

test.serial('updates have strictly increasing times, even when the clock stands still or goes back', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const [incident, other] = [await createIncident(sql, page), await createIncident(sql, page)];
    for (const atMs of [now, now, now - 5000]) await post(sql, page, incident, 'identified', atMs);
    await post(sql, page, other, 'identified', now);
    const updates = (await findIncident(sql, page.projectId, incident))?.updates ?? [];
    t.deepEqual(
      updates.map(update => Date.parse(update.posted_at) - now),
      [0, 1, 2],
    );
    const feed = await sql.rows<{ feed_at: number }>`
      select feed_at
      from incident_updates
      where status_page_id = ${page.statusPageId}
      order by id`;
    t.true(
      feed.every(row => row.feed_at % 1000 === 0 && row.feed_at <= Date.now()),
      'no date lies in the future',
    );
    t.deepEqual(await measureUpdates(sql, incident), { updates: 3, characters: 12 });
  });
});

test.serial('an incident is resolved once and reopened by any later update', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const id = await createIncident(sql, page);
    const stateOf = async () => {
      const row = await findIncident(sql, page.projectId, id);
      return [row?.state, row?.resolved_at];
    };
    t.deepEqual(await stateOf(), ['investigating', null]);
    await post(sql, page, id, 'resolved', now);
    await post(sql, page, id, 'resolved', now + 1000);
    t.deepEqual(await stateOf(), ['resolved', now], 'the first resolution counts');
    await post(sql, page, id, 'identified', now + 2000);
    t.deepEqual(await stateOf(), ['identified', null]);
    const updated = 'incident.updated';
    t.deepEqual(await factsOf(sql, page), [updated, 'incident.resolved', updated, updated]);
  });
});

test.serial('an incident without a first update is opened without one, and on no unknown page', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const fields = { alertId: null, title: 'x', severity: 'p1', impact: 'major', affectedComponents: [] } as const;
    const incident = { ...page, ...fields, startedAt: now };
    const id = await openIncident(sql, incident, null, now);
    t.deepEqual((await findIncident(sql, page.projectId, id ?? ''))?.updates, []);
    t.is(await openIncident(sql, { ...incident, statusPageId: 'sp_none' }, null, now), null);
    t.is(await openIncident(sql, { ...incident, projectId: 'proj_none' }, null, now), null);
    t.deepEqual(await factsOf(sql, page), ['incident.opened']);
  });
});

test.serial('an incident of a deleted page, or of another project, cannot be changed', async t => {
  const [page, other] = [await createPage(databaseOf()), await createPage(databaseOf())];
  await withSql(databaseOf(), async sql => {
    const id = await createIncident(sql, page);
    t.is((await lockIncident(sql, page.projectId, id))?.id, id);
    t.is(await lockIncident(sql, other.projectId, id), null);
    await markStatusPageDeleted(sql, page.statusPageId, now);
    t.is(await lockIncident(sql, page.projectId, id), null);
  });
});

test.serial('a hosted post-mortem is linked on the incident’s page, unless another link is set', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const row = await findIncident(sql, page.projectId, await createIncident(sql, page));
    if (row === null) return t.fail();
    const url = `https://up.example/status/${row.slug}/incidents/${row.id}`;
    const linkOf = (postmortem_url: string | null, postmortem_body: string | null) =>
      viewIncident({ ...row, postmortem_url, postmortem_body }, 'https://up.example').postmortem_url;
    t.is(linkOf(null, null), null);
    t.is(linkOf(null, '# Why'), `${url}#postmortem`);
    t.is(linkOf('https://example.com', '# Why'), 'https://example.com');
  });
});

test.serial('unknown components are those of other projects and pages, and deleted ones', async t => {
  const [page, other] = [await createPage(databaseOf()), await createPage(databaseOf())];
  await withSql(databaseOf(), async sql => {
    const [current, deleted] = [await createComponent(sql, page), await createComponent(sql, page, 'Old')];
    const foreign = await createComponent(sql, other);
    await markComponentDeleted(sql, deleted, now);
    const ids = [current, deleted, foreign, 'comp_none'];
    t.deepEqual(await unknownComponents(sql, page.projectId, ids), [deleted, foreign, 'comp_none']);
    t.deepEqual(await unknownComponents(sql, page.projectId, [current], other.statusPageId), [current]);
    t.deepEqual(await unknownComponents(sql, page.projectId, [current], page.statusPageId), []);
    t.deepEqual(await unknownComponents(sql, page.projectId, []), []);
  });
});
