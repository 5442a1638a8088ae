import { gzipSync } from 'node:zlib';
import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { openRaw, writeRequest } from '#test/support/raw-connection.ts';

const databaseOf = useDatabase(test);

test('bodies that pages never finish stop nobody: one address has so many, and servers have room of their own', async t => {
  const { replica, send, projectId } = await openEventWorld(t, databaseOf());
  const path = `/v0/events?project_id=${projectId}`;
  const unfinished = [
    { 'content-type': 'text/plain', 'content-length': '200000' },
    { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' },
    { 'content-type': 'text/plain', 'content-encoding': 'gzip', 'content-length': '200000' },
  ];
  const connections = await Promise.all(Array.from({ length: 60 }, () => openRaw(replica.port)));
  const answered: (number | undefined)[] = [];
  const held = connections.map(async (connection, place) => {
    const answer = await connection
      .exchange(writeRequest('POST', path, unfinished[place % 3]), 'POST')
      .catch(() => null);
    answered.push(answer?.status);
  });
  for (let tries = 0; answered.length < 28 && tries < 100; tries++)
    await new Promise(resolve => setTimeout(resolve, 50));
  t.deepEqual(answered, Array(28).fill(429));
  t.is((await send({ name: 'a' })).status, 202);
  for (const connection of connections) await connection[Symbol.asyncDispose]();
  await Promise.all(held);
  const page = async (bytes: Buffer, headers = {}) => {
    await using connection = await openRaw(replica.port);
    const request = writeRequest('POST', path, { 'content-type': 'text/plain', ...headers }, bytes);
    return (await connection.exchange(request, 'POST'))?.status;
  };
  const blanks = (size: number) => Buffer.concat([Buffer.from('{"name":"a"}'), Buffer.alloc(size - 12, 0x20)]);
  for (let tries = 0; (await page(blanks(12))) !== 202 && tries < 50; tries++);
  t.is(await page(blanks(262_144)), 202);
  t.is(await page(blanks(262_145)), 413);
  t.is(await page(gzipSync(blanks(262_144)), { 'content-encoding': 'gzip' }), 202);
  t.is(await page(gzipSync(blanks(262_145)), { 'content-encoding': 'gzip' }), 413);
});
