import test from 'ava';
import { admin } from '#test/support/admin.ts';
import { SoftwareAuthenticator } from '#test/support/authenticator.ts';
import { newBackupFile } from '#test/support/backup-file.ts';
import { apiOf, createRegions, createTenant, startReplica, testSecretKey } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';
import { newDatabase } from '#test/support/new-database.ts';
import { personOf, sessionHeaders } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const keys = { secretsKeys: [testSecretKey] };
const publicUrl = 'http://localhost:8080';

test('a restore brings back who was removed since and what was revoked, but none of their sessions', async t => {
  const replica = await startReplica(databaseOf(), { publicUrl });
  const { token, projectId } = await createTenant(databaseOf(), ['*', 'agents:operate']);
  const api = apiOf(replica.url, token);
  const { home } = await createRegions(databaseOf(), ['home'], projectId);
  const [ada, bob] = [
    await personOf(t, databaseOf(), replica.url, { name: 'Ada', project: projectId }),
    await personOf(t, databaseOf(), replica.url, { name: 'Bob', project: projectId, role: 'editor' }),
  ];
  const options = await bob.call(null, 'POST', '/auth/passkeys/options', { purpose: 'register' });
  const passkey = new SoftwareAuthenticator(publicUrl);
  const added = { ticket: options.body.ticket, credential: passkey.create(options.body.public_key) };
  t.is((await bob.call(null, 'POST', '/auth/passkeys/verify', added)).status, 200);
  const asked = { project_id: projectId, name: 'of Bob', scopes: ['monitors:read'] };
  const personal = (await bob.call(null, 'POST', '/v0/me/tokens', asked)).body.token as string;
  const { id: serviceId, token: service } = (await api('POST', '/v0/tokens', { name: 'ci', scopes: ['*'] })).body;
  const file = await newBackupFile(t);
  await admin(databaseOf(), ['backup', file], keys);
  t.is((await ada.call(projectId, 'DELETE', `/v0/members/${bob.id}`)).status, 204);
  await admin(databaseOf(), ['person', 'erase', '--id', bob.id, '--confirm', bob.id]);
  t.is((await api('DELETE', `/v0/tokens/${serviceId}`)).status, 204);
  t.is((await api('DELETE', `/v0/agents/${home?.id}`)).status, 204);
  for (const gone of [personal, service])
    t.is((await apiOf(replica.url, gone)('GET', '/v0/me')).body.code, 'token_revoked');
  await replica.stop();
  await using target = await newDatabase();
  await admin(target.url, ['restore', file], keys);
  const copy = await startReplica(target.url, { publicUrl });
  t.teardown(() => copy.stop());
  const call = apiOf(copy.url, '');
  for (const { headers } of [ada, bob])
    t.is((await call('GET', '/v0/me', undefined, headers)).body.code, 'missing_token');
  for (const back of [personal, service]) t.is((await apiOf(copy.url, back)('GET', '/v0/me')).status, 200);
  const { body } = await call('POST', '/auth/passkeys/options', { purpose: 'sign_in' });
  const credential = passkey.get(body.public_key);
  const signedIn = await call('POST', '/auth/passkeys/verify', { ticket: body.ticket, credential });
  t.like(signedIn.body, { person: { id: bob.id, name: 'Bob' }, projects: [{ id: projectId, role: 'editor' }] });
  const headers = { ...sessionHeaders(signedIn), 'x-project-id': projectId };
  t.is((await call('GET', '/v0/monitors', undefined, headers)).status, 200);
  await using agent = await connectFakeAgent(copy.url, home?.secret ?? '');
  t.truthy(agent, 'an agent that was deleted since connects');
});
