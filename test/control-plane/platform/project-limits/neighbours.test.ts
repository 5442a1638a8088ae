import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { apiOf, createRegions, createTenant, impatientApiOf, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { useWaitsOfProduct } from '#test/support/patient-pools.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
useWaitsOfProduct(test);

async function openWorld() {
  const replica = await sharedReplica(databaseOf());
  const [hostile, other] = [await createTenant(databaseOf()), await createTenant(databaseOf())];
  const region = `share-${hostile.projectId.slice(-10)}`;
  await createRegions(databaseOf(), [region]);
  const api = impatientApiOf(replica.url, hostile.token);
  const body = { name: 'm', url: 'https://example.com/', interval_seconds: 60, regions: [region] };
  const monitorId = (await api('POST', '/v0/monitors', body)).body.id as string;
  return { replica, hostile, api, neighbour: apiOf(replica.url, other.token), monitorId };
}

test.serial('requests that wait for locks of their project are refused in time, and others do not wait', async t => {
  const { replica, api, neighbour, monitorId } = await openWorld();
  let release = (): void => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  t.teardown(() => release());
  let locked = (): void => {};
  const isLocked = new Promise<void>(resolve => {
    locked = resolve;
  });
  const holding = transaction(replica.pools.background, async sql => {
    await sql.run`select 1 from monitor_states where monitor_id = ${monitorId} for update`;
    locked();
    await released;
  });
  await isLocked;
  const waiting = Array.from({ length: 24 }, () => api('PATCH', `/v0/monitors/${monitorId}`, { name: 'other' }));
  let refused = 0;
  for (const one of waiting) one.then(() => (refused += 1));
  await until(() => replica.pools.api.totalCount - replica.pools.api.idleCount >= 4, true);
  const before = refused;
  t.is((await neighbour('GET', '/v0/project')).status, 200);
  // In a pool full of waiting requests it would come after nearly all of them, or be refused.
  t.true(refused - before < waiting.length / 2, `${refused - before} were answered first`);
  const first = await waiting[0];
  t.deepEqual([first?.status, first?.body.code, first?.headers['retry-after']], [503, 'unavailable', '1']);
  release();
  await holding;
  for (const { status } of await Promise.all(waiting)) t.true(status === 200 || status === 503);
  t.is((await api('PATCH', `/v0/monitors/${monitorId}`, { name: 'free again' })).status, 200);
});

test.serial('clients that left while they waited cost their project no place', async t => {
  const { replica, hostile, api, monitorId } = await openWorld();
  let release = (): void => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  t.teardown(() => release());
  const holding = transaction(replica.pools.background, async sql => {
    await sql.run`select 1 from monitor_states where monitor_id = ${monitorId} for update`;
    await released;
  });
  const head = [
    `POST /v0/monitors/${monitorId}/pause HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${hostile.token}`,
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');
  const sockets = Array.from({ length: 60 }, () => connect(replica.port, '127.0.0.1'));
  for (const socket of sockets) socket.on('error', () => {}).write(head);
  await until(() => replica.pools.api.totalCount - replica.pools.api.idleCount >= 4, true);
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map(socket => (socket.closed ? null : once(socket, 'close'))));
  // Sixty that wait a second each, four at a time, would take fifteen: after ten it would be refused.
  t.is((await api('GET', '/v0/project')).status, 200);
  release();
  await holding;
});
