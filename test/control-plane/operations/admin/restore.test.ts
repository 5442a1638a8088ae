import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import test from 'ava';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { admin } from '#test/support/admin.ts';
import { newBackupFile } from '#test/support/backup-file.ts';
import { apiOf, createTenant, startReplica, testSecretKey, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { newDatabase } from '#test/support/new-database.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { endSharedPool } from '#test/support/shared-pool.ts';

const databaseOf = useDatabase(test);
const keys = { secretsKeys: [testSecretKey] };

test.serial('a restore is refused in a sentence where it would lose something', async t => {
  const file = await newBackupFile(t);
  await openNotificationWorld(t, databaseOf(), {}).then(world => world.replica.stop());
  await endSharedPool(databaseOf());
  await admin(databaseOf(), ['backup', file], keys);
  const refused = (url: string, args: readonly string[], message: RegExp, changes = keys) =>
    t.throwsAsync(admin(url, ['restore', ...args], changes), { message });
  await t.throwsAsync(admin(databaseOf(), ['backup', file], keys), { message: /exists: choose another name/ });
  await t.throwsAsync(admin(databaseOf(), ['backup', '/nowhere/b'], keys), { message: /cannot be written/ });
  await t.throwsAsync(admin(databaseOf(), ['backup'], keys), { message: 'The name of one file is required.' });

  await refused(databaseOf(), [file], /the database has projects, agents or regions \(\d+ in total\): .* --replace/);
  const other = { secretsKeys: [randomBytes(32).toString('base64')] };
  await using target = await newDatabase();
  await refused(target.url, [file], /^SECRETS_KEYS cannot open .* --without-keys/, other);
  await refused(target.url, [`${file}.gone`], /does not exist$/);

  const bytes = await readFile(file);
  await writeFile(`${file}.cut`, bytes.subarray(0, bytes.length - 100));
  await refused(target.url, [`${file}.cut`], /is not a complete backup: /);
  const flipped = Buffer.from(bytes);
  flipped.writeUInt8(flipped.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  await writeFile(`${file}.flipped`, flipped);
  await refused(target.url, [`${file}.flipped`], /is not a complete backup: /);
  await writeFile(`${file}.text`, 'hello');
  await refused(target.url, [`${file}.text`], /is not a complete backup: /);

  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  await withSql(databaseOf(), async sql => {
    await sql.run`select 'a session without a version'`;
    const named = /such as "upquorum \d+\.\d+\.\d+ gateway\S*" from \S+ \(process \d+ of the server\): stop all/;
    await refused(databaseOf(), [file, '--replace'], named);
  });
  await replica.stop();
  await endSharedPool(databaseOf());
  t.truthy(await admin(databaseOf(), ['restore', file, '--replace'], keys));
  t.truthy(await admin(target.url, ['restore', file, '--without-keys'], other));
});

test.serial('a restore needs the keys of every kind of secret, whatever was changed last', async t => {
  await using source = await newDatabase();
  await migrate({ connectionString: source.url, storage: 'auto', log: () => {} });
  const older = randomBytes(32).toString('base64');
  const world = await openNotificationWorld(t, source.url, { secretsKeys: [older] });
  await world.subscriber('visitor@example.com');
  await world.replica.stop();
  await withSql(source.url, sql => sql.run`delete from monitors`);
  const file = await newBackupFile(t);
  await admin(source.url, ['backup', file], keys);
  await using target = await newDatabase();
  const closed = String.raw`address_pepper\.sealed \(1\), subscribers\.sealed_address \(1\)`;
  const message = new RegExp(`^SECRETS_KEYS cannot open .*${closed}.*: set those`);
  await t.throwsAsync(admin(target.url, ['restore', file], keys), { message });
  t.truthy(await admin(target.url, ['restore', file], { secretsKeys: [testSecretKey, older] }));
});

test.serial('a restore deletes tables of others, and agents without projects, only with --replace', async t => {
  const file = await newBackupFile(t);
  await admin(databaseOf(), ['backup', file], keys);
  const refused = (url: string, message: RegExp) =>
    t.throwsAsync(admin(url, ['restore', file, '--without-keys'], keys), { message });
  await using shop = await newDatabase();
  await withSql(shop.url, sql => sql.run`create table customers as select 'Ada' as name`);
  await refused(shop.url, /^the database has tables such as "customers": .* --replace/);
  await withSql(shop.url, sql => sql.run`create table projects (id text)`);
  await refused(shop.url, /^the database has tables such as "customers": .* --replace/);
  t.is((await withSql(shop.url, sql => sql.rows`select name from customers`)).length, 1);

  await using ours = await newDatabase();
  await migrate({ connectionString: ours.url, storage: 'auto', log: () => {} });
  await withSql(ours.url, sql => sql.run`insert into regions (code, name, created_at) values ('r', 'R', now())`);
  await refused(ours.url, /^the database has projects, agents or regions \(1 in total\): .* --replace/);
  await withSql(ours.url, async sql => {
    await sql.run`delete from regions`;
    await sql.run`create table customers as select 'Ada' as name`;
    await sql.run`create function greeting() returns text language sql as $$ select 'Hello' $$`;
  });
  t.truthy(await admin(ours.url, ['restore', file, '--without-keys'], keys));
  const kept = () => withSql(ours.url, sql => sql.rows`select name, greeting() from customers`);
  t.deepEqual(await kept(), [{ name: 'Ada', greeting: 'Hello' }], 'an application beside ours keeps what it has');
  t.truthy(await admin(shop.url, ['restore', file, '--replace', '--without-keys'], keys));
});

test.serial('a restore ends the cookies and feed keys of private pages', async t => {
  const page = async (url: string, path = '', headers = {}) => {
    const answer = await fetch(`${url}/status/secret-acme${path}`, { headers, redirect: 'manual' });
    return answer.status;
  };
  const enter = async (url: string) => {
    const body = new URLSearchParams({ password: 'correct horse battery' });
    const answer = await fetch(`${url}/status/secret-acme/access`, { method: 'POST', body, redirect: 'manual' });
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  };
  await using source = await newDatabase();
  await migrate({ connectionString: source.url, storage: 'auto', log: () => {} });
  const replica = await startReplica(source.url);
  const api = apiOf(replica.url, (await createTenant(source.url)).token);
  const access = { type: 'password', password: 'correct horse battery' };
  const made = await api('POST', '/v0/status-pages', { name: 'Acme', slug: 'secret-acme', access });
  t.is(made.status, 201, JSON.stringify(made.body));
  const keyOf = ({ body }: { body: { access: { feed_url: string } } }) => body.access.feed_url.split('?')[1];
  const opens = (key: string | undefined) => until(() => page(replica.url, `/feed.rss?${key}`), 200);
  const key = keyOf(made);
  await opens(key);
  const file = await newBackupFile(t);
  await admin(source.url, ['backup', file], keys);
  // After the backup there is one more version, whose cookies a restored page must not take for its own.
  const cookies = [await enter(replica.url)];
  await api('PATCH', `/v0/status-pages/${made.body.id}`, { access: { ...access, password: 'another password' } });
  await opens(keyOf(await api('PATCH', `/v0/status-pages/${made.body.id}`, { access })));
  cookies.push(await enter(replica.url));
  await replica.stop();

  await using target = await newDatabase();
  await admin(target.url, ['restore', file], keys);
  const restored = await startReplica(target.url);
  t.teardown(() => restored.stop());
  await until(() => page(restored.url), 403);
  const again = { cookie: await enter(restored.url) };
  t.is(await page(restored.url, '', again), 200, 'the password is that of the backup');
  for (const cookie of cookies) t.is(await page(restored.url, '', { cookie }), 403);
  t.is(await page(restored.url, `/feed.rss?${key}`), 403);
});
