import test from 'ava';
import { apiOf, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openRaw, writeRequest } from '#test/support/raw-connection.ts';

const databaseOf = useDatabase(test);

/** Requests that lack the last of their bytes: what arrived stays in memory. */
async function sendUnfinished(
  port: number,
  path: string,
  headers: Record<string, string>,
  size: number,
  count: number,
) {
  const connections = await Promise.all(Array.from({ length: count }, () => openRaw(port)));
  const answered: (number | undefined)[] = [];
  const head = { 'content-type': 'application/json', ...headers, 'content-length': String(size + 1) };
  const request = Buffer.concat([writeRequest('POST', path, head), Buffer.alloc(size, 0x20)]);
  const exchanges = connections.map(async connection => {
    const answer = await connection.exchange(request, 'POST').catch(() => null);
    answered.push(answer?.status);
  });
  return {
    answered,
    end: async () => {
      for (const connection of connections) await connection[Symbol.asyncDispose]();
      await Promise.all(exchanges);
    },
  };
}

test('bodies that one project has in flight fill half of the memory for bodies, and others are served', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const [greedy, other] = [await createTenant(databaseOf()), await createTenant(databaseOf())];
  const authorization = `Bearer ${greedy.token}`;
  const flood = await sendUnfinished(replica.port, '/v0/monitors', { authorization }, 1_000_000, 40);
  await until(
    async () => flood.answered.length,
    count => count >= 6,
  );
  t.deepEqual([...new Set(flood.answered)], [503]);
  const large = { name: 'x'.repeat(600_000) };
  t.is((await apiOf(replica.url, other.token)('POST', '/v0/monitors', large)).status, 422);
  await flood.end();
  const again = () => apiOf(replica.url, greedy.token)('POST', '/v0/monitors', large);
  await until(
    async () => (await again()).status,
    status => status === 422,
  );
  t.pass();
});

test('forms that anybody may send are small, and each address may have 32 of them open', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { token } = await createTenant(databaseOf());
  const page = await apiOf(replica.url, token)('POST', '/v0/status-pages', { name: 'Acme', slug: 'forms' });
  t.is(page.status, 201);
  const path = `/status/forms/unsubscribe?token=${'a'.repeat(32)}`;
  const flood = await sendUnfinished(replica.port, path, {}, 16_000, 40);
  await until(
    async () => flood.answered.length,
    count => count >= 8,
  );
  // On a busy machine the page may not be found in time.
  t.deepEqual(
    [...new Set(flood.answered)].filter(status => status !== 503),
    [429],
  );
  await flood.end();
  await using connection = await openRaw(replica.port);
  const large = writeRequest('POST', path, {}, Buffer.alloc(16_385));
  t.is((await connection.exchange(large, 'POST'))?.status, 413);
});
