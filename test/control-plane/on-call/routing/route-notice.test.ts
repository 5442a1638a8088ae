import test from 'ava';
import { openNotices } from '#control-plane/monitoring/notices/store.ts';
import type { ChannelNotice } from '#control-plane/on-call/channels/notice.ts';
import { sealConfig } from '#control-plane/on-call/channels/secrets/sealed.ts';
import { insertChannel, newChannelId } from '#control-plane/on-call/channels/store.ts';
import { channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import { type RoutePost, routePostSchema } from '#control-plane/on-call/routing/route.ts';
import { routeNotice } from '#control-plane/on-call/routing/route-notice.ts';
import { insertRoute } from '#control-plane/on-call/routing/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import type { StoredFact } from '#control-plane/platform/facts/fact.ts';
import { hourMs } from '#shared/duration.ts';
import { createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { testKeyring } from '#test/support/page-rows.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 22, 23);
const quiet = { timezone: 'UTC', from: '22:00', to: '07:00' };

type Queued = { subject: string; due_at: number; step: string; payload: ChannelNotice };

/** A project with a channel, to which routes send notices of silent regions. */
async function openRoutes(sql: Sql, ...changes: readonly Partial<RoutePost>[]) {
  const { projectId } = await createTenant(databaseOf());
  const channel = newChannelId(now);
  const config = channelTypes.teams.schema.parse({ url: 'https://stub.example/' });
  const sealed = { sealedConfig: sealConfig(channel, config, testKeyring), sealedSecret: null };
  const row = { id: channel, project_id: projectId, name: 'ops', type: 'teams' as const, address_ids: [] };
  await insertChannel(sql, { ...row, ...sealed, detail: 'full', enabled: true }, now);
  const steps = [
    { after_minutes: 0, channel_ids: [channel] },
    { after_minutes: 5, channel_ids: ['chn_later'] },
  ];
  for (const [index, change] of changes.entries()) {
    const match = { notices: ['region.silent'] };
    await insertRoute(sql, projectId, routePostSchema.parse({ name: `${index}`, match, steps, ...change }), now);
  }
  const hear = async (region: string) => {
    const about = { subjectType: 'region', subjectId: region, subjectName: region, distinction: '' } as const;
    const text = { title: `Region ${region} is silent`, detail: 'no votes' };
    const [notice] = await openNotices(
      sql,
      [{ projectId, kind: 'region.silent', ...about, ...text, sinceMs: now, afterMs: 0 }],
      now,
    );
    return notice?.id ?? missing();
  };
  const tell = (kind: 'notice.opened' | 'notice.closed', id: string, payload: object = {}) => {
    const fact = { kind, projectId, subject: id, payload: { notice: 'region.silent', about: 'r', ...payload } };
    return routeNotice(sql, { ...fact, id: 1, at: now, attempts: 1 } as StoredFact, now);
  };
  const queued = () =>
    sql.rows<Queued>`
      select subject, due_at, step, payload
      from deliveries
      where project_id = ${projectId}
      order by created_at, sequence, id`;
  return { hear, tell, queued };
}

function missing(): never {
  throw new Error('no notice was opened');
}

test.serial('a notice reaches the first step of its route once, and its end as well, under one id', async t => {
  await withSql(databaseOf(), async sql => {
    const { hear, tell, queued } = await openRoutes(sql, {});
    const [west, east] = [await hear('eu-west'), await hear('us-east')];
    for (const id of [west, east, west]) await tell('notice.opened', id);
    for (const id of [west, west]) await tell('notice.closed', id);
    const rows = await queued();
    t.deepEqual(
      rows.map(row => row.subject).sort(),
      [`${east} notice`, `${west} notice`, `${west} notice_closed`].sort(),
    );
    const of = (subject: string) => rows.find(row => row.subject === subject)?.payload;
    t.like(of(`${west} notice`), { subject: west, severity: 'p3', group: null, title: 'Region eu-west is silent' });
    t.like(of(`${west} notice_closed`), { step: 'notice_closed', subject: west, lines: [] });
    t.is(of(`${east} notice`)?.subject, east, 'another notice is another incident of a paging service');
  });
});

const cases: readonly [title: string, routes: Partial<RoutePost>[], payload: object, dueAfterMs: number[]][] = [
  ['without a route that names it goes nowhere', [{ match: routePostSchema.shape.match.parse({}) }], {}, []],
  ['that was pending in a backup goes nowhere', [{}], { restored: true }, []],
  ['of another kind goes nowhere', [{}], { notice: 'agent.silent' }, []],
  [
    'waits for the end of quiet hours',
    [{ quiet_hours: routePostSchema.shape.quiet_hours.parse(quiet) }],
    {},
    [8 * hourMs],
  ],
  [
    'counts as p3, which may be excepted',
    [{ quiet_hours: routePostSchema.shape.quiet_hours.parse({ ...quiet, except_severities: ['p3'] }) }],
    {},
    [0],
  ],
  ['goes to a channel of two routes once', [{ continue: true }, {}], {}, [0]],
];
for (const [title, routes, payload, due] of cases)
  test.serial(`a notice ${title}`, async t => {
    await withSql(databaseOf(), async sql => {
      const { hear, tell, queued } = await openRoutes(sql, ...routes);
      await tell('notice.opened', await hear('eu-west'), payload);
      t.deepEqual(
        (await queued()).map(row => row.due_at - now),
        due,
      );
    });
  });
