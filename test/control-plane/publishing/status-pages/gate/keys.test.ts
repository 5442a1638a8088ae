import test from 'ava';
import got from 'got';
import { createKeyring, newSecretKey } from '#control-plane/platform/secrets/keyring.ts';
import { resealPages } from '#control-plane/publishing/status-pages/access/reseal.ts';
import { apiOf, createTenant, startReplica, testSecretKey, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);

test('a gate follows its page to a new slug and to new keys; without its key it lets nobody in', async t => {
  const options = { throwHttpErrors: false, followRedirect: false, retry: { limit: 0 } } as const;
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const access = { type: 'password', password: 'correct horse' };
  const { id } = (await api('POST', '/v0/status-pages', { name: 'Acme', slug: 'before', access })).body;
  await api('PATCH', `/v0/status-pages/${id}`, { slug: 'after' });
  const form = { password: 'correct horse', return_to: '/status/after' };
  const enter = (base: string) => got.post(`${base}/status/after/access`, { ...options, form });
  for (const slug of ['after', 'before'])
    await until(
      () => got(`${replica.url}/status/${slug}/feed.rss`, options),
      answer => answer.statusCode === 403,
    );

  const key = newSecretKey();
  const other = await startReplica(databaseOf(), { secretsKeys: [key], roles: ['front'] });
  t.teardown(() => other.stop());
  t.is((await got(`${other.url}/status/after`, options)).statusCode, 503);
  t.is((await enter(other.url)).statusCode, 503);
  const pools = patientPools(databaseOf());
  t.is(await resealPages(pools.background, createKeyring([key, testSecretKey]), Date.now()), 1);
  await pools.end();
  await until(
    () => got(`${other.url}/status/after`, options),
    answer => answer.statusCode === 403,
  );
  const entered = await enter(other.url);
  t.is(entered.statusCode, 303);
  const cookie = String(entered.headers['set-cookie']?.[0]).split(';')[0];
  t.is((await got(`${other.url}/status/after`, { ...options, headers: { cookie } })).statusCode, 200);
  const former = await got(`${other.url}/status/before`, { ...options, headers: { cookie } });
  t.is(former.headers.location, '/status/after');

  await withSql(databaseOf(), sql => sql.run`delete from page_slugs where slug = 'before'`);
  const second = apiOf(replica.url, (await createTenant(databaseOf())).token);
  t.is((await second('POST', '/v0/status-pages', { name: 'Second', slug: 'before' })).status, 201);
  const taken = await until(
    () => got(`${replica.url}/status/before`, options),
    answer => answer.statusCode === 200,
  );
  t.true(taken.body.includes('Second'), 'a slug that was set free is no longer behind the gate of before');
});
