import test from 'ava';
import fc from 'fast-check';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { addUpdate } from '#control-plane/publishing/incidents/add-update.ts';
import { createIncident } from '#control-plane/publishing/incidents/create.ts';
import { incidentPostSchema } from '#control-plane/publishing/incidents/incident.ts';
import { removeIncident } from '#control-plane/publishing/incidents/remove.ts';
import { resolveIncident } from '#control-plane/publishing/incidents/resolve.ts';
import { findIncident, listIncidents } from '#control-plane/publishing/incidents/store.ts';
import { type IncidentState, incidentStates } from '#shared/vocabulary.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { createPage, type PageRows } from '#test/support/page-rows.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 20, 12);

async function open(sql: Sql, page: PageRows, fields: object = {}): Promise<string> {
  const post = { title: 'API errors', severity: 'p2', status_page_id: page.statusPageId, ...fields };
  return (await createIncident(sql, page.projectId, incidentPostSchema.parse(post), now)).subject ?? '';
}

async function show(sql: Sql, page: PageRows, id: string) {
  const row = await findIncident(sql, page.projectId, id);
  if (row === null) throw new Error('there is no such incident');
  const facts = await sql.rows<{ kind: string }>`
    select kind
    from facts
    where subject = ${id}
      or subject in (select u.id from incident_updates u where u.incident_id = ${id})
    order by id`;
  return { ...row, facts: facts.map(({ kind }) => kind.replace('incident.', '')) };
}

/** Each state that an incident may be in, and what the next one makes of its end. */
const transitions = incidentStates.flatMap(from => incidentStates.map(to => [from, to] as const));
for (const [from, to] of transitions)
  test.serial(`an update takes an incident from ${from} to ${to}`, async t => {
    const page = await createPage(databaseOf());
    await withSql(databaseOf(), async sql => {
      const id = await open(sql, page, { initial_update: { state: from, body: 'first' } });
      const before = await show(sql, page, id);
      t.like(before, { state: from, resolved_at: from === 'resolved' ? now : null });
      await addUpdate(sql, page.projectId, id, { state: to, body: 'second' }, now + 1000);
      const after = await show(sql, page, id);
      const resolved = to === 'resolved' ? (before.resolved_at ?? now + 1000) : null;
      t.like(after, { state: to, resolved_at: resolved });
      t.deepEqual(
        after.updates.map(({ state, body }) => [state, body]),
        [
          [from, 'first'],
          [to, 'second'],
        ],
      );
      const isEnd = to === 'resolved' && from !== 'resolved';
      t.deepEqual(after.facts.slice(before.facts.length), ['updated', ...(isEnd ? ['resolved'] : [])]);
    });
  });

for (const state of incidentStates)
  test.serial(`an incident that is ${state} ${state === 'resolved' ? 'cannot' : 'can'} be resolved`, async t => {
    const page = await createPage(databaseOf());
    await withSql(databaseOf(), async sql => {
      const id = await open(sql, page, { initial_update: { state, body: 'first' } });
      const before = await show(sql, page, id);
      const resolve = () => resolveIncident(sql, page.projectId, id, 'Done.', now + 1000);
      if (state === 'resolved') {
        t.is((await t.throwsAsync(resolve, { instanceOf: Problem }))?.code, 'already_resolved');
        t.deepEqual(await show(sql, page, id), before, 'nothing is posted, and nobody hears of it');
        return;
      }
      await resolve();
      const after = await show(sql, page, id);
      t.like(after, { state: 'resolved', resolved_at: now + 1000 });
      t.like(after.updates[1], { state: 'resolved', body: 'Done.', posted_at: new Date(now + 1000).toISOString() });
      t.is((await t.throwsAsync(resolve, { instanceOf: Problem }))?.code, 'already_resolved', 'once');
    });
  });

const openings: readonly [title: string, fields: object, facts: string[], shown: object][] = [
  ['without an update it is investigated, untold', {}, ['opened'], { state: 'investigating', updates: [] }],
  ['its impact follows from the severity', { severity: 'p1' }, ['opened'], { impact: 'major' }],
  ['unless it is given', { severity: 'p1', impact: 'none' }, ['opened'], { impact: 'none' }],
  ['it starts now', {}, ['opened'], { started_at: now, resolved_at: null }],
  ['or when it says', { started_at: new Date(now - 5000).toISOString() }, ['opened'], { started_at: now - 5000 }],
  [
    'silently',
    { notify: false, initial_update: { state: 'identified', body: 'x' } },
    ['changed'],
    { state: 'identified' },
  ],
  [
    'resolved at once it is over',
    { initial_update: { state: 'resolved', body: 'x' } },
    ['opened', 'updated', 'resolved'],
    { state: 'resolved', resolved_at: now },
  ],
];
for (const [title, fields, facts, shown] of openings)
  test.serial(`an incident is opened: ${title}`, async t => {
    const page = await createPage(databaseOf());
    await withSql(databaseOf(), async sql => {
      const incident = await show(sql, page, await open(sql, page, fields));
      t.like(incident, shown);
      t.deepEqual(incident.facts, facts);
    });
  });

test.serial(
  'the state is that of the latest update and the end that of the last outage, whatever came before',
  async t => {
    const page = await createPage(databaseOf());
    const updates = fc.array(
      fc.record({ state: fc.constantFrom(...incidentStates), gap: fc.integer({ min: -1500, max: 3000 }) }),
      { minLength: 1, maxLength: 6 },
    );
    await withSql(databaseOf(), sql =>
      fc.assert(
        fc.asyncProperty(updates, async list => {
          const id = await open(sql, page);
          let at = now;
          let end: number | null = null;
          const posted: IncidentState[] = [];
          for (const { state, gap } of list) {
            at += gap;
            await addUpdate(sql, page.projectId, id, { state, body: 'x' }, at);
            posted.push(state);
            const { updates, ...shown } = await show(sql, page, id);
            const times = updates.map(update => Date.parse(update.posted_at));
            t.true(
              times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0)),
              'strictly increasing',
            );
            t.deepEqual(
              updates.map(update => update.state),
              posted,
            );
            end = state === 'resolved' ? (end ?? times.at(-1) ?? null) : null;
            t.like(shown, { state, resolved_at: end });
          }
        }),
        { numRuns: 8 },
      ),
    );
  },
);

const filter = { states: null, severities: null, statusPageId: null, fromMs: null, toMs: null };
test.serial('incidents are listed latest start first, by each filter, without those that were removed', async t => {
  const [page, other] = [await createPage(databaseOf()), await createPage(databaseOf())];
  await withSql(databaseOf(), async sql => {
    const startAt = (seconds: number) => ({ started_at: new Date(now + seconds * 1000).toISOString() });
    const resolved = { initial_update: { state: 'resolved', body: 'x' } };
    const ids = {
      old: await open(sql, page, { ...startAt(-100), ...resolved }),
      first: await open(sql, page, { ...startAt(-50), severity: 'p1' }),
      second: await open(sql, page, { ...startAt(-50), severity: 'p3' }),
      removed: await open(sql, page, startAt(-10)),
      foreign: await open(sql, other, startAt(-10)),
    };
    await removeIncident(sql, page.projectId, ids.removed, now);
    const names = Object.entries(ids);
    const list = async (changes: object, after: [number, string] | null = null, limit = 10) => {
      const rows = await listIncidents(sql, page.projectId, { ...filter, ...changes }, { after, limit });
      return rows.map(row => names.find(([, id]) => id === row.id)?.[0]);
    };
    t.deepEqual(await list({}), ['second', 'first', 'old'], 'ties by id, the latest first');
    t.deepEqual(await list({ states: ['resolved'] }), ['old']);
    t.deepEqual(await list({ states: ['investigating', 'monitoring'] }), ['second', 'first']);
    t.deepEqual(await list({ severities: ['p1', 'p2'] }), ['first', 'old']);
    t.deepEqual(await list({ statusPageId: other.statusPageId }), []);
    t.deepEqual(await list({ fromMs: now - 50_000 }), ['second', 'first'], 'inclusive');
    t.deepEqual(await list({ toMs: now - 50_000 }), ['old'], 'exclusive');
    t.deepEqual(
      await list({}, [now - 50_000, ids.second]),
      ['first', 'old'],
      'after a page that ends between two of one start',
    );
    t.is((await t.throwsAsync(() => removeIncident(sql, page.projectId, ids.removed, now)))?.message !== '', true);
  });
});
