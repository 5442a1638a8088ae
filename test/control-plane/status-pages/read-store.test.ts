import test from 'ava';
import { insertIncident } from '#control-plane/incidents/store.ts';
import { readCurrentIncidents } from '#control-plane/status-pages/incident-read-store.ts';
import { readIncidentSpans } from '#control-plane/status-pages/read-store.ts';
import { Texts } from '#control-plane/status-pages/texts.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import type { Impact } from '#shared/vocabulary.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
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
