import test from 'ava';
import got, { type OptionsOfTextResponseBody } from 'got';
import { admin } from '#test/support/admin.ts';
import { newBackupFile } from '#test/support/backup-file.ts';
import { apiOf, createTenant, startReplica, testSecretKey, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { newDatabase } from '#test/support/new-database.ts';
import { personOf, sessionHeaders } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const keys = { secretsKeys: [testSecretKey] };
const password = 'correct horse';
const visit = (url: string, options: OptionsOfTextResponseBody = {}) =>
  got(url, { throwHttpErrors: false, followRedirect: false, retry: { limit: 0 }, ...options });
const enter = async (page: string) => {
  const answer = await visit(`${page}/access`, { method: 'POST', form: { password } });
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
};

test('a restore brings nobody back: sessions, links, cookies and keys of feeds end', async t => {
  const replica = await startReplica(databaseOf());
  const { token, projectId } = await createTenant(databaseOf());
  const ada = await personOf(t, databaseOf(), replica.url, { name: 'Ada', project: projectId });
  const { url: link } = (await admin(databaseOf(), ['person', 'link', '--id', ada.id])) as { url: string };
  const invited = (await ada.call(projectId, 'POST', '/v0/invitations', { role: 'viewer' })).body.url as string;
  const byToken = sessionHeaders(await apiOf(replica.url, '')('POST', '/dashboard/session', { token }));
  const access = { type: 'password', password };
  const made = await apiOf(replica.url, token)('POST', '/v0/status-pages', { name: 'A', slug: 'restored', access });
  const page = `${replica.url}/status/restored`;
  const cookie = await until(
    () => enter(page),
    found => found.startsWith('upquorum-page'),
  );
  t.is((await visit(page, { headers: { cookie } })).statusCode, 200);
  const key = new URL(made.body.access.feed_url).search;
  await replica.stop();
  const file = await newBackupFile(t);
  await admin(databaseOf(), ['backup', file], keys);
  await using target = await newDatabase();
  await admin(target.url, ['restore', file], keys);
  const copy = await startReplica(target.url);
  t.teardown(() => copy.stop());
  const call = apiOf(copy.url, '');
  for (const headers of [ada.headers, byToken])
    t.is((await call('GET', '/v0/me', undefined, headers)).body.code, 'missing_token');
  for (const url of [link, invited])
    for (const path of ['/auth/links/use', '/auth/invitations/look'])
      t.is((await call('POST', path, { token: url.split('#')[1] })).body.code, 'link_expired');
  t.is((await apiOf(copy.url, token)('GET', '/v0/me')).status, 200, 'tokens are as in the backup');
  const there = `${copy.url}/status/restored`;
  t.is((await visit(there, { headers: { cookie } })).statusCode, 403);
  t.is((await visit(`${there}/feed.rss${key}`)).statusCode, 403);
  t.is((await visit(there, { headers: { cookie: await enter(there) } })).statusCode, 200);
  const { feed_url, version } = (await apiOf(copy.url, token)('GET', `/v0/status-pages/${made.body.id}`)).body.access;
  t.true(version > made.body.access.version);
  t.is((await visit(`${there}/feed.rss${new URL(feed_url).search}`)).statusCode, 200);
});
