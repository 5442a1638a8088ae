import { gzipSync } from 'node:zlib';
import test from 'ava';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { openRaw, writeRequest } from '#test/support/raw-connection.ts';

const databaseOf = useDatabase(test);

test('unfinished bodies of pages stop nobody: each address has a bound, and servers their own budget', async t => {
  const { replica, send, projectId } = await openEventWorld(t, databaseOf());
  const path = `/v0/events?project_id=${projectId}`;
  const unfinished = [
    { 'content-type': 'text/plain', 'content-length': '200000' },
    { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' },
    { 'content-type': 'text/plain', 'content-encoding': 'gzip', 'content-length': '200000' },
  ];
  const connections = await Promise.all(Array.from({ length: 60 }, () => openRaw(replica.port)));
  const answered: (number | undefined)[] = [];
  const exchanges = connections.map(async (connection, index) => {
    const answer = await connection
      .exchange(writeRequest('POST', path, unfinished[index % 3]), 'POST')
      .catch(() => null);
    answered.push(answer?.status);
  });
  await until(
    async () => answered.length,
    count => count >= 28,
  );
  t.deepEqual(answered, Array(28).fill(429));
  t.is((await send({ name: 'a' })).status, 202);
  for (const connection of connections) await connection[Symbol.asyncDispose]();
  await Promise.all(exchanges);
  const page = async (bytes: Buffer, headers = {}) => {
    await using connection = await openRaw(replica.port);
    const request = writeRequest('POST', path, { 'content-type': 'text/plain', ...headers }, bytes);
    return (await connection.exchange(request, 'POST'))?.status;
  };
  const blanks = (size: number) => Buffer.concat([Buffer.from('{"name":"a"}'), Buffer.alloc(size - 12, 0x20)]);
  await until(
    () => page(blanks(12)),
    status => status === 202,
  );
  t.is(await page(blanks(262_144)), 202);
  t.is(await page(blanks(262_145)), 413);
  t.is(await page(gzipSync(blanks(262_144)), { 'content-encoding': 'gzip' }), 202);
  t.is(await page(gzipSync(blanks(262_145)), { 'content-encoding': 'gzip' }), 413);
});
