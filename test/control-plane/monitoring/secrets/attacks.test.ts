import { randomBytes } from 'node:crypto';
import test from 'ava';
import { valueContext } from '#control-plane/monitoring/monitors/secrets/project-secrets-store.ts';
import { resealProjectSecrets } from '#control-plane/monitoring/secrets/reseal.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { testSecretKey, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const headers = { A: '{{secret.TOKEN}}' };
const token = { name: 'TOKEN', value: 'swordfish', hosts: null };

test.serial('secrets are sealed again with the first key, and open with it alone', async t => {
  const { api } = await openMonitorWorld(t, databaseOf(), 1);
  const { id } = (await api('POST', '/v0/secrets', token)).body;
  const { pools } = await sharedReplica(databaseOf());
  const newKey = randomBytes(32).toString('base64');
  const sealed = async () => {
    const read = withSql(
      databaseOf(),
      sql => sql.row<{ sealed_value: Buffer }>`select sealed_value from secrets where id = ${id}`,
    );
    return (await read)?.sealed_value ?? Buffer.alloc(0);
  };
  t.true((await resealProjectSecrets(pools.background, createKeyring([newKey, testSecretKey]))) >= 1);
  t.is(createKeyring([newKey]).open(await sealed(), valueContext(id)), token.value);
  const old = createKeyring([testSecretKey]);
  const again = await sealed();
  t.throws(() => old.open(again, valueContext(id)));
  await resealProjectSecrets(pools.background, createKeyring([testSecretKey, newKey]));
  t.is(old.open(await sealed(), valueContext(id)), token.value);
});

test('a secret of another project is not found by its id nor by its name', async t => {
  const theirs = await openMonitorWorld(t, databaseOf(), 1);
  const { api, post } = await openMonitorWorld(t, databaseOf(), 1);
  const { id } = (await theirs.api('POST', '/v0/secrets', token)).body;
  const path = `/v0/secrets/${id}`;
  for (const [method, body] of [['GET'], ['PATCH', { hosts: ['evil.example'] }], ['DELETE']] as const)
    t.is((await api(method, path, body)).status, 404, method);
  t.deepEqual((await api('GET', '/v0/secrets')).body.data, []);
  t.deepEqual(faultsOf(await post({ headers })), ['/headers/A unknown_reference']);
  const own = (await api('POST', '/v0/secrets', { ...token, value: 'another value' })).body.id;
  t.is((await post({ headers })).status, 201);
  t.is((await theirs.api('GET', path)).body.used_by_count, 0);
  t.is((await api('GET', `/v0/secrets/${own}`)).body.used_by_count, 1);
});

test('a secret that is deleted while monitors come to name it is gone, or in use, never both', async t => {
  const { api, post } = await openMonitorWorld(t, databaseOf(), 1);
  const outcomes: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const { id } = (await api('POST', '/v0/secrets', token)).body;
    const plain = (await post({ name: `plain ${turn}` })).body.id;
    const remove = () => api('DELETE', `/v0/secrets/${id}`);
    const create = () => post({ name: `new ${turn}`, headers });
    const change = () => api('PATCH', `/v0/monitors/${plain}`, { headers });
    const works = [create, remove, change];
    const replies = await Promise.all([...works.slice(turn % 3), ...works.slice(0, turn % 3)].map(work => work()));
    t.true(replies.every(({ status }) => status < 500));
    const isThere = (await api('GET', `/v0/secrets/${id}`)).status === 200;
    const users = replies.filter(({ status, body }) => status < 300 && body?.headers?.A === headers.A);
    t.is(users.length > 0, isThere);
    outcomes.push(isThere ? 'in use' : 'gone');
    for (const { body } of users) await api('DELETE', `/v0/monitors/${body.id}`);
    if (isThere) t.is((await remove()).status, 204);
  }
  t.is(outcomes.length, 6);
});

test('at most 500 monitors name one secret', async t => {
  const { api, post } = await openMonitorWorld(t, databaseOf(), 1);
  const { id } = (await api('POST', '/v0/secrets', token)).body;
  const first = (await post({ headers })).body.id;
  const second = (await post({ name: 'second', headers })).body.id;
  const rotation = await api('PATCH', `/v0/secrets/${id}`, { value: 'another value' });
  t.is(rotation.status, 200, JSON.stringify(rotation.body));
  const raised = await withSql(
    databaseOf(),
    sql => sql.rows`
      select m.config_version as monitor, s.config_version as state, v.drops_votes
      from monitors m
      join monitor_states s on s.monitor_id = m.id
      join monitor_versions v on v.monitor_id = m.id and v.config_version = s.config_version
      where m.id = any(${[first, second]}::text[])`,
  );
  t.deepEqual(raised, Array(2).fill({ monitor: 2, state: 2, drops_votes: false }));
  await withSql(databaseOf(), async sql => {
    await sql.run`
      insert into monitors
      select (jsonb_populate_record(m, jsonb_build_object('id', m.id || n, 'name', m.name || n))).*
      from monitors m, generate_series(1, 498) n
      where m.id = ${first}`;
    await sql.run`
      insert into secret_uses (secret_id, monitor_id, project_id)
      select ${id}, m.id, m.project_id
      from monitors m
      where m.id like ${`${first}_%`}`;
    await sql.run`
      insert into project_quotas (project_id, resource, maximum)
      select project_id, resource, 10000
      from secrets, unnest(array['monitors', 'monitor_regions']) resource
      where id = ${id}`;
  });
  const refused = await post({ name: 'one more', headers });
  t.is(refused.status, 409);
  t.like(refused.body, { code: 'limit_reached', resource: 'secret_uses', maximum: 500, used: 500 });
  t.is((await api('GET', `/v0/secrets/${id}`)).body.used_by_count, 500);
  t.is((await api('DELETE', `/v0/monitors/${first}`)).status, 204);
  t.is((await post({ name: 'one more', headers })).status, 201);
});
