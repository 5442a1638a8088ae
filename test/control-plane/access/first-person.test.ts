import test from 'ava';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
import { type Api, apiOf, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { personOf, sessionHeaders, someAddress } from '#test/support/people.ts';

const databaseOf = useDatabase(test);

test('who comes first by the token of npm start runs the installation, by a plain one the project alone', async t => {
  const trustedProxies = [parseRange('127.0.0.0/8')].filter(range => range !== null);
  const replica = await startReplica(databaseOf(), { trustedProxies });
  t.teardown(() => replica.stop());
  const from = () => ({ 'x-forwarded-for': someAddress() });
  const operatorToken = async () => {
    const { projectId } = await createTenant(databaseOf());
    const given = ['--project', projectId, '--name', 'first', '--scopes', '*,agents:operate'];
    return {
      projectId,
      token: ((await admin(databaseOf(), ['token', 'create', ...given])) as { token: string }).token,
    };
  };
  const bySession = async (token: string): Promise<Api> => {
    const signedIn = await apiOf(replica.url, '')('POST', '/dashboard/session', { token }, from());
    return (method, path, body) => apiOf(replica.url, '')(method, path, body, sessionHeaders(signedIn));
  };
  const cases = [
    ['a plain token', await createTenant(databaseOf()), false],
    ['the token of npm start, by its session', await operatorToken(), true],
    ['another one: there is an operator', await operatorToken(), false],
  ] as const;
  for (const [title, { projectId, token }, operates] of cases) {
    const callers = [apiOf(replica.url, token), await bySession(token)];
    const [bearer, session] = callers;
    const invite = title.includes('session') ? session : bearer;
    for (const role of ['viewer', 'editor'])
      t.is((await invite?.('POST', '/v0/invitations', { role }))?.body.code, 'validation_failed', title);
    const invited = await invite?.('POST', '/v0/invitations', { role: 'admin' });
    t.is(invited?.status, 201, title);
    const ada = await personOf(t, databaseOf(), replica.url, { name: 'Ada' });
    const accepted = { token: invited?.body.url.split('#')[1] };
    const headers = { ...ada.headers, ...from() };
    const joined = await apiOf(replica.url, '')('POST', '/auth/invitations/accept', accepted, headers);
    t.deepEqual(joined.body, { project_id: projectId, role: 'admin' }, title);
    t.is((await ada.call(null, 'GET', '/v0/me')).body.person.operator, operates, title);
    t.is((await ada.call(null, 'GET', '/v0/people')).status, operates ? 200 : 403, title);
    for (const call of callers)
      t.is((await call('POST', '/v0/invitations', { role: 'admin' })).body.code, 'person_required', title);
  }
});
