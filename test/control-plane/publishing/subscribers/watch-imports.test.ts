import test from 'ava';
import { isUnwanted } from '#control-plane/publishing/subscribers/watch-imports.ts';
import { allowImports, type Reply, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';

const databaseOf = useDatabase(test);

const cases: [bad: number, total: number, unwanted: boolean][] = [
  [0, 0, false],
  [9, 9, false],
  [10, 10, true],
  [10, 199, true],
  [10, 200, false],
  [51, 1000, true],
  [50, 1000, false],
];
for (const [bad, total, unwanted] of cases)
  test(`of ${total} imported addresses ${bad} refuse: ${unwanted ? 'the import ends' : 'nothing happens'}`, t => {
    t.is(isUnwanted({ bad, total }), unwanted);
  });

test('an import whose recipients refuse its emails ends: the others have to confirm, no more are imported', async t => {
  await using mailbox = await startMailbox();
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  await allowImports(databaseOf(), world.projectId);
  await world.subscriber('asked@example.com');
  const path = `/v0/status-pages/${world.page.id}/subscribers`;
  const list = (names: readonly string[]) => ({
    consent: 'bought',
    subscribers: names.map(name => ({ email: `${name}@example.com` })),
  });
  await world.api('POST', `${path}/import`, list(['loyal']));
  await withSql(
    databaseOf(),
    sql => sql.run`
      update subscribers
      set imported_at = imported_at - interval '15 days'
      where project_id = ${world.projectId} and imported_at is not null`,
  );
  const names = [...Array.from({ length: 12 }, (_, index) => `gone${index}`), 'reads'];
  t.is((await world.api('POST', `${path}/import`, list(names))).body.added, 13);
  mailbox.refuse = to => (to.startsWith('gone') ? { code: 550, text: '5.1.1 no such user' } : null);
  await world.incident();
  type Shown = { email: string; state: string; state_reason: string | null };
  const shown = async () => (await world.api('GET', `${path}?limit=200`)).body.data as Shown[];
  const ended = await until(shown, rows => rows.some(row => row.state === 'quarantined'));
  t.is(ended.filter(row => row.state === 'quarantined').length, 13);
  const reader = ended.find(row => row.email === 'reads@example.com');
  t.regex(reader?.state_reason ?? '', /imports were ended: 1[0-2] of 13 imported addresses refused/);
  for (const email of ['asked@example.com', 'loyal@example.com'])
    t.like(
      ended.find(row => row.email === email),
      { state: 'active', state_reason: null },
      'others, and earlier imports, are not concerned',
    );
  const refused: Reply = await world.api('POST', `${path}/import`, list(['another']));
  t.deepEqual([refused.status, refused.body.code], [409, 'limit_reached']);
  t.regex(refused.body.detail, /imports were ended/);

  t.is((await world.api('POST', path, { email: 'reads@example.com' })).body.state, 'pending', 'it may be asked again');
  await allowImports(databaseOf(), world.projectId);
  t.is((await world.api('POST', `${path}/import`, list(['another']))).body.added, 1, 'the operator allows it again');
});
