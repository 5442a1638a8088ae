import test from 'ava';
import { deleteDeliveriesEndedBefore } from '#control-plane/delivery/notifications/store.ts';
import { deleteUnconfirmed } from '#control-plane/publishing/subscribers/store.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';

const databaseOf = useDatabase(test);

test('unconfirmed addresses and deliveries that ended long ago are deleted, others stay', async t => {
  const world = await openNotificationWorld(t, databaseOf());
  const path = `/v0/status-pages/${world.page.id}/subscribers`;
  await world.subscriber('active@example.com');
  await world.api('POST', path, { email: 'silent@example.com' });
  await world.deliveriesUntil(rows => rows[0]?.state === 'held');
  await withSql(databaseOf(), async sql => {
    t.is(await deleteUnconfirmed(sql, Date.now() - 60_000), 0);
    t.is(await deleteDeliveriesEndedBefore(sql, Date.now() - 60_000), 0);
    t.is(await deleteUnconfirmed(sql, Date.now() + 60_000), 1);
    t.is(await deleteDeliveriesEndedBefore(sql, Date.now() + 60_000), 1);
  });
  const left = (await world.api('GET', path)).body.data.map((subscriber: { email: string }) => subscriber.email);
  t.deepEqual(left, ['active@example.com']);
  t.deepEqual(await world.deliveries(), []);
});
