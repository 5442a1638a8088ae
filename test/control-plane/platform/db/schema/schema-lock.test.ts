import test from 'ava';
import { classifyFault } from '#control-plane/platform/db/errors.ts';
import { withSchemaLock } from '#control-plane/platform/db/schema/schema-lock.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

test('a program that waits for the lock of the schema gives up in a sentence, and may try again', async t => {
  await withSchemaLock(databaseOf(), async () => {
    const second = withSchemaLock(databaseOf(), async () => t.fail('two have the lock'), 100);
    const error = await t.throwsAsync(second, { message: /^another program is migrating or restoring/ });
    t.is(classifyFault(error), 'away');
  });
  t.is(await withSchemaLock(databaseOf(), async () => 'free'), 'free');
});

test('the server notices within a minute that the host with the lock has vanished', async t => {
  const read = (name: string) =>
    withSchemaLock(databaseOf(), async client =>
      Number(Object.values((await client.query(`show ${name}`)).rows[0])[0]),
    );
  const idle = await read('tcp_keepalives_idle');
  const probes = (await read('tcp_keepalives_interval')) * (await read('tcp_keepalives_count'));
  t.true(idle > 0 && idle + probes <= 60);
});
