import test from 'ava';
import { linkSessions } from '#control-plane/analytics/linking/link.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);

test('the setting is off, and on it links what is sent and what was stored before', async t => {
  const { api, send, replica } = await openEventWorld(t, databaseOf());
  const links = () => sqlOf(replica.pools.background).rows`
    select session_id, external_user_id from session_links order by session_id`;
  const timeline = async () => {
    const { body } = await api('GET', '/v0/users/ann/timeline?types=track,identify');
    return body.data.map(({ name, linked }: { name: string; linked?: boolean }) => [name, linked ?? false]);
  };
  const sent = async (session_id: string) => {
    await send([{ name: 'looked', session_id }]);
    await send([{ type: 'identify', external_user_id: 'ann', session_id }]);
  };
  t.is((await api('GET', '/v0/project')).body.link_sessions, false);
  await sent('before');
  t.deepEqual([await links(), await timeline()], [[], [['identify', false]]]);
  t.is((await api('PATCH', '/v0/project', { link_sessions: true })).body.link_sessions, true);
  await sent('since');
  t.deepEqual(await links(), [{ session_id: 'since', external_user_id: 'ann' }]);
  const nowMs = Date.now() + 60_000;
  while (await linkSessions(replica.pools.background, nowMs));
  t.deepEqual((await links()).length, 2);
  t.deepEqual(await timeline(), [
    ['identify', false],
    ['looked', true],
    ['identify', false],
    ['looked', true],
  ]);
  t.is((await api('GET', '/v0/users/bob/timeline')).body.data.length, 0);
  const { body: audit } = await api('GET', '/v0/audit?action=project.updated');
  t.like(audit.data[0], { before: { link_sessions: false }, after: { link_sessions: true } });
  t.is((await api('PATCH', '/v0/project', { link_sessions: 'yes' })).status, 422);
  await api('PATCH', '/v0/project', { link_sessions: false });
  t.deepEqual(await timeline(), [
    ['identify', false],
    ['identify', false],
  ]);
  while (await linkSessions(replica.pools.background, nowMs));
  t.deepEqual(await links(), []);
});
