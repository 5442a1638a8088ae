import test from 'ava';
import { instant } from '#control-plane/platform/db/sql.ts';
import { insertIncident } from '#control-plane/publishing/incidents/store.ts';
import { readCurrentIncidents } from '#control-plane/publishing/status-pages/publish/incident-read-store.ts';
import { readModel } from '#control-plane/publishing/status-pages/publish/model.ts';
import { Texts } from '#control-plane/publishing/status-pages/publish/texts.ts';
import { readIncidentSpans } from '#control-plane/publishing/status-pages/read-store.ts';
import { findPage } from '#control-plane/publishing/status-pages/store.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import type { Impact } from '#shared/vocabulary.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { addMeasuredComponents, addQuietMonitors } from '#test/support/large-page.ts';
import { createComponent, createPage } from '#test/support/page-rows.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 21, 14);

test.serial('an old incident that is still open is read before many later ones, the heaviest first', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const open = (impact: Impact, startedAt: number) =>
      insertIncident(
        sql,
        { ...page, alertId: null, title: 'x', severity: 'p2', impact, affectedComponents: [], startedAt },
        now,
      );
    const major = await open('major', now - 9 * dayMs);
    for (let number = 0; number < 120; number++) await open('degraded', now - number * hourMs);
    const read = await readCurrentIncidents(sql, page.statusPageId, now - 14 * dayMs, new Texts());
    t.is(read.length, 100);
    t.is(read[0]?.id ?? null, major);
    t.is(read[1]?.startedAt, now);
  });
});

test.serial('incidents are found by the components that they affected', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const [first, second] = [await createComponent(sql, page, 'A'), await createComponent(sql, page, 'B')];
    const common = { ...page, alertId: null, title: 'x', severity: 'p2', impact: 'partial' } as const;
    await insertIncident(sql, { ...common, affectedComponents: [first, second], startedAt: now - hourMs }, now);
    await insertIncident(sql, { ...common, affectedComponents: [first], startedAt: now - dayMs }, now);
    await insertIncident(sql, { ...common, affectedComponents: [], startedAt: now }, now);
    const spans = await readIncidentSpans(sql, page.statusPageId, now - 90 * dayMs);
    t.deepEqual([...spans.keys()].sort(), [first, second].sort());
    t.deepEqual(
      spans.get(first)?.map(({ startedAt, resolvedAt }) => [startedAt, resolvedAt]),
      [
        [now - hourMs, null],
        [now - dayMs, null],
      ],
    );
    t.like(spans.get(second)?.[0], { impact: 'partial', startedAt: now - hourMs });
  });
});

test.serial('a logo that is taken away while its page is read leaves no broken picture', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const settings = await findPage(sql, page.projectId, page.statusPageId);
    if (settings === null) return t.fail();
    const context = { baseUrl: 'http://localhost', canMail: false, nowMs: now, texts: new Texts() };
    const model = await readModel(sql, { ...settings, logo: { width: 64, height: 64 } }, context);
    t.is(model.page.logo, null);
  });
});

test.serial(
  'of monitors that flap all the time a page reads as many days as it can, and counts those exactly',
  async t => {
    const page = await createPage(databaseOf());
    await withSql(databaseOf(), async sql => {
      await addMeasuredComponents(sql, page, 1, now);
      const settings = await findPage(sql, page.projectId, page.statusPageId);
      if (settings === null) return t.fail();
      const read = async () => {
        const context = { baseUrl: 'http://localhost', canMail: false, nowMs: now, texts: new Texts() };
        const model = await readModel(sql, { ...settings, historyDays: 90 }, context);
        return model.components[0]?.days?.map(({ downMs }) => downMs) ?? [];
      };
      const before = await read();
      t.is(before.length, 90);
      // A change every five seconds for two weeks that ended a month ago.
      const endMs = now - 31 * dayMs - 2500;
      await sql.run`
      insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
      select monitor_id, ${instant(endMs)}::timestamptz - number * interval '5 seconds', project_id,
        case when number % 2 = 0 then 'up' else 'degraded' end, '{}', 1
      from monitor_states
      cross join generate_series(1, 210000) as number
      where project_id = ${page.projectId}`;
      t.deepEqual(await read(), before.slice(-30));
    });
  },
);

test.serial('a page reads fewer days if many different sets of monitors share one that flaps', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    await addMeasuredComponents(sql, page, 11, now);
    const settings = await findPage(sql, page.projectId, page.statusPageId);
    if (settings === null) return t.fail();
    const daysRead = async () => {
      const context = { baseUrl: 'http://localhost', canMail: false, nowMs: now, texts: new Texts() };
      const model = await readModel(sql, { ...settings, historyDays: 90 }, context);
      return model.components[0]?.days?.length;
    };
    await sql.run`
      insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
      select monitor_id, ${instant(now - 31 * dayMs)}::timestamptz - number * interval '5 seconds', project_id,
        case when number % 2 = 0 then 'up' else 'degraded' end, '{}', 1
      from monitor_states
      cross join generate_series(1, 20000) as number
      where project_id = ${page.projectId}`;
    t.is(await daysRead(), 90, 'eleven components with the same monitor: 20,000 changes are merged');
    await addQuietMonitors(sql, page, now);
    t.is(await daysRead(), 30, 'eleven sets: 220,000 are');
  });
});
