import test from 'ava';
import type { AuditView } from '#control-plane/platform/projects/audit.ts';
import { createToken } from '#control-plane/platform/projects/create-token.ts';
import { type Api, apiOf, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { faultsOf } from '#test/support/problem.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);

async function openWorld() {
  const replica = await sharedReplica(databaseOf());
  const tenant = await createTenant(databaseOf());
  return { ...tenant, url: replica.url, owner: apiOf(replica.url, tenant.token) };
}

async function make(url: string, maker: Api, name: string): Promise<{ id: string; api: Api; created_by: string }> {
  const { body } = await maker('POST', '/v0/tokens', { name, scopes: ['*'] });
  return { ...body, api: apiOf(url, body.token) };
}

test.serial('a token made by a token never outlives it, and takes its expiry by default', async t => {
  const { url, projectId } = await openWorld();
  const expiresAt = Date.now() + 3_600_000;
  const brief = await withSql(databaseOf(), sql =>
    createToken(sql, { projectId, name: 'brief', scopes: ['*'], expiresAt }, Date.now()),
  );
  const api = apiOf(url, brief.token);
  const post = (fields: object) => api('POST', '/v0/tokens', { name: 'made', scopes: ['*'], ...fields });
  for (const expires_at of [null, new Date(expiresAt + 1).toISOString()])
    t.deepEqual(faultsOf(await post({ expires_at })), ['/expires_at out_of_range']);
  const made = await post({});
  t.is(made.status, 201);
  t.is(made.body.expires_at, new Date(expiresAt).toISOString());
  t.is(made.body.created_by, brief.id);
});

test.serial('any token may ask what it is, until it ends', async t => {
  const { url, projectId, owner } = await openWorld();
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const scopes = ['events:write'];
  const made = await owner('POST', '/v0/tokens', { name: 'sends events', scopes, expires_at });
  const api = apiOf(url, made.body.token);
  const { name } = (await owner('GET', '/v0/project')).body;
  t.is((await api('GET', '/v0/project')).status, 403);
  t.deepEqual((await api('GET', '/v0/me')).body, {
    type: 'token',
    person: null,
    token: { id: made.body.id, name: 'sends events', scopes, expires_at },
    project: { id: projectId, name },
    role: null,
    scopes,
  });
  await owner('DELETE', `/v0/tokens/${made.body.id}`);
  t.is((await api('GET', '/v0/me')).body.code, 'token_revoked');
});

test.serial('revoking a token revokes all that came from it, and nothing else; they can be kept', async t => {
  const { url, owner } = await openWorld();
  const [parent, sibling] = [await make(url, owner, 'parent'), await make(url, owner, 'sibling')];
  const child = await make(url, parent.api, 'child');
  const grandchild = await make(url, child.api, 'grandchild');
  t.is((await owner('DELETE', `/v0/tokens/${child.id}?descendants=keep`)).status, 204);
  t.is((await child.api('GET', '/v0/project')).body.code, 'token_revoked');
  t.is((await grandchild.api('GET', '/v0/project')).status, 200, 'kept');
  t.is((await owner('DELETE', `/v0/tokens/${parent.id}`)).status, 204);
  for (const { api } of [parent, child, grandchild])
    t.is((await api('GET', '/v0/project')).body.code, 'token_revoked', 'also through one that was revoked before');
  t.is((await sibling.api('GET', '/v0/project')).status, 200);
  t.is((await owner('GET', '/v0/project')).status, 200);
  t.is((await owner('DELETE', `/v0/tokens/${sibling.id}?descendants=none`)).status, 400);
});

test.serial('a token that makes others while it is revoked leaves none behind', async t => {
  const { url, owner } = await openWorld();
  for (let round = 0; round < 5; round++) {
    const thief = await make(url, owner, `thief ${round}`);
    const making = Array.from({ length: 8 }, (_, index) =>
      thief.api('POST', '/v0/tokens', { name: `${round} ${index}`, scopes: ['*'] }),
    );
    const revoked = await owner('DELETE', `/v0/tokens/${thief.id}`);
    t.is(revoked.status, 204);
    for (const { status, body } of await Promise.all(making)) {
      if (status !== 201) continue;
      t.is((await apiOf(url, body.token)('GET', '/v0/project')).body.code, 'token_revoked');
    }
  }
});

test.serial('the audit shows who changed what, and no secret', async t => {
  const { url, owner, projectId } = await openWorld();
  const child = await make(url, owner, 'auditor');
  t.is((await child.api('PATCH', '/v0/project', { name: 'Renamed' })).status, 200);
  const hook = { url: 'https://hooks.example/T0PSECRET', kinds: ['alert.opened'] };
  const webhook = await child.api('POST', '/v0/webhooks', hook);
  t.is((await child.api('PUT', '/v0/slack', { bot_token: 'xoxb-T0PSECRET-1' })).status, 200);
  t.is((await child.api('PUT', '/v0/slack', { bot_token: '' })).status, 422, 'what fails is not recorded');
  t.is((await owner('DELETE', `/v0/tokens/${child.id}`)).status, 204);
  const { data } = (await owner('GET', '/v0/audit')).body;
  const [own] = (await owner('GET', '/v0/tokens')).body.data.slice(-1);
  t.deepEqual(
    data.map((entry: AuditView) => [entry.actor.id, entry.actor.name, entry.action, entry.subject]),
    [
      [own.id, own.name, 'token.revoked', child.id],
      [child.id, 'auditor', 'slack.connected', projectId],
      [child.id, 'auditor', 'webhook.created', webhook.body.id],
      [child.id, 'auditor', 'project.updated', projectId],
      [own.id, own.name, 'token.created', child.id],
    ],
  );
  t.deepEqual(data.at(-1).after, { name: 'auditor', scopes: ['*'], expires_at: null, created_by: own.id });
  t.deepEqual(data[3].after, { name: 'Renamed' });
  t.false(JSON.stringify(data).includes('T0PSECRET'));
  const byChild = (await owner('GET', `/v0/audit?actor=${child.id}`)).body.data;
  t.is(byChild.length, 3);
  t.is((await owner('GET', `/v0/audit?subject=${child.id}`)).body.data.length, 2);
  const stranger = await createTenant(databaseOf());
  t.deepEqual((await apiOf(url, stranger.token)('GET', '/v0/audit')).body.data, []);
});
