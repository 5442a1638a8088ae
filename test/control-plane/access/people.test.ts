import test, { type ExecutionContext } from 'ava';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';
import type { Clock } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
import { apiOf, createTenant, type Reply, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { personOf, sessionHeaders, signInBy, someAddress } from '#test/support/people.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const proxies = parseRange('127.0.0.0/8');

/** On the replica of the file, or with a clock on its own. */
async function openWorld(t: ExecutionContext, clock?: Clock) {
  const config = { trustedProxies: proxies === null ? [] : [proxies] };
  const replica = await (clock === undefined
    ? sharedReplica(databaseOf(), config)
    : startReplica(databaseOf(), config, clock));
  if (clock !== undefined) t.teardown(() => replica.stop());
  const first = await createTenant(databaseOf());
  const second = await createTenant(databaseOf());
  const person = (options: Parameters<typeof personOf>[3]) => personOf(t, databaseOf(), replica.url, options);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    apiOf(replica.url, '')('POST', path, body, { 'x-forwarded-for': someAddress(), ...headers });
  return { replica, first, second, person, post, token: apiOf(replica.url, first.token) };
}

function refused(t: ExecutionContext, reply: Reply, status: number, code: string, message?: string): void {
  t.is(reply.status, status, message ?? JSON.stringify(reply.body));
  t.is(reply.body.code, code, message);
}

test('a link signs in once, and the session is a person’s: in each of their projects what they are there', async t => {
  const { replica, first, second, person, post } = await openWorld(t);
  const ada = await person({ name: 'Ada', email: 'ada@Example.COM', project: first.projectId, role: 'responder' });
  const view = (await apiOf(replica.url, '')('GET', '/dashboard/session', undefined, ada.headers)).body;
  t.like(view, { signed_in: true, method: 'link', project_id: null, token_id: null, scopes: null });
  t.like(view.person, { id: ada.id, name: 'Ada', email: 'ada@example.com', operator: false });
  t.deepEqual(
    view.projects.map((project: { id: string; role: string }) => [project.id, project.role]),
    [[first.projectId, 'responder']],
  );
  t.is((await ada.call(first.projectId, 'GET', '/v0/monitors')).status, 200);
  refused(t, await ada.call(first.projectId, 'POST', '/v0/monitors', {}), 403, 'insufficient_scope');
  t.truthy((await ada.call(null, 'GET', '/v0/me')).body.person.last_seen_at, 'who signs in is seen');
  refused(t, await ada.call(null, 'GET', '/v0/monitors'), 400, 'invalid_parameter');
  const strange = await ada.call(second.projectId, 'GET', '/v0/monitors');
  const unknown = await ada.call(newId('proj'), 'GET', '/v0/monitors');
  refused(t, strange, 403, 'not_a_member');
  t.deepEqual({ ...unknown.body, request_id: '' }, { ...strange.body, request_id: '' });
  refused(t, await ada.call('a b/..', 'GET', '/v0/monitors'), 403, 'not_a_member');
  const me = (await ada.call(null, 'GET', '/v0/me')).body;
  t.like(me, { type: 'person', token: null, project: null, role: null, scopes: [] });
  const used = (await admin(databaseOf(), ['person', 'link', '--email', 'ADA@example.com'])) as { url: string };
  const secret = used.url.split('#')[1];
  t.like((await post('/auth/invitations/look', { token: secret })).body, { type: 'sign_in', name: 'Ada' });
  t.is((await post('/auth/links/use', { token: secret })).status, 201);
  const answers = await Promise.all(
    [secret, newBearer('upi'), 'upi_short', first.token].map(token => post('/auth/links/use', { token })),
  );
  for (const answer of answers) refused(t, answer, 410, 'link_expired');
  const bodies = answers.map(({ body: { request_id: _, ...body } }) => body);
  for (const body of bodies) t.deepEqual(body, bodies[0], 'one answer for all');
  const refusals = await withSql(
    databaseOf(),
    sql => sql.rows<{ subject: string; project_id: string | null; after: object }>`
      select subject, project_id, after
      from audit_entries
      where action = 'session.refused' and after->>'method' = 'link' and subject in (${ada.id}, 'unknown')`,
  );
  for (const { after } of refusals) t.deepEqual(after, { method: 'link', reason: 'link_expired' });
  const placesOf = (subject: string) =>
    refusals.filter(entry => entry.subject === subject).map(entry => entry.project_id);
  t.deepEqual(placesOf(ada.id).sort(), [first.projectId, null].sort(), 'known: in each of their projects, too');
  t.true(placesOf('unknown').length >= 3);
  t.true(placesOf('unknown').every(place => place === null));
});

test('an invitation is accepted once, and gives what it says', async t => {
  let ahead = 0;
  const { replica, first, person, post, token } = await openWorld(t, { now: () => Date.now() + ahead });
  const { projectId } = first;
  refused(t, await token('POST', '/v0/invitations', { role: 'viewer' }), 422, 'validation_failed');
  const owner = await person({ name: 'Owner', project: projectId });
  refused(t, await token('POST', '/v0/invitations', { role: 'admin' }), 403, 'person_required');
  refused(t, await token('POST', '/v0/invitations', { role: 'none' }), 403, 'person_required', 'before its body');
  const bob = await person({ name: 'Bob' });
  const invited = await owner.call(projectId, 'POST', '/v0/invitations', { role: 'editor', email: 'bob@example.com' });
  t.false(invited.body.mailed, 'without a mail server');
  t.is(invited.status, 201, JSON.stringify(invited.body));
  const again = await owner.call(projectId, 'POST', '/v0/invitations', { role: 'viewer', email: 'BOB@example.com' });
  refused(t, again, 409, 'already_invited');
  t.is(again.body.invitation_id, invited.body.id);
  const secret = invited.body.url.split('#')[1];
  t.like((await post('/auth/invitations/look', { token: secret })).body, { role: 'editor', invited_by: 'Owner' });
  refused(t, await post('/auth/invitations/accept', { token: secret }), 401, 'missing_token');
  const accepted = await Promise.all(
    [0, 1].map(() => post('/auth/invitations/accept', { token: secret }, bob.headers)),
  );
  t.deepEqual(accepted.map(({ status }) => status).sort(), [200, 410]);
  const list = (await owner.call(projectId, 'GET', '/v0/members?q=bo')).body.data;
  t.like(list[0], { person_id: bob.id, role: 'editor', direct_role: 'editor', group_roles: [] });
  const listed = (await owner.call(projectId, 'GET', '/v0/invitations')).body.data[0];
  t.like(listed, { state: 'accepted', accepted_by: bob.id, invited_by: { type: 'person', id: owner.id } });
  t.false(JSON.stringify(listed).includes('upi_'));
  // Already a member: the higher role counts.
  const lower = await owner.call(projectId, 'POST', '/v0/invitations', { role: 'viewer' });
  const kept = await post('/auth/invitations/accept', { token: lower.body.url.split('#')[1] }, bob.headers);
  t.deepEqual(kept.body, { project_id: projectId, role: 'editor' });
  // Resent: the old link ends. Revoked: both.
  const open = await owner.call(projectId, 'POST', '/v0/invitations', { role: 'viewer' });
  refused(t, await owner.call(projectId, 'POST', `/v0/invitations/${open.body.id}/resend`), 429, 'rate_limited');
  t.is((await owner.call(projectId, 'DELETE', `/v0/invitations/${open.body.id}`)).status, 204);
  const revoked = await post('/auth/invitations/accept', { token: open.body.url.split('#')[1] }, bob.headers);
  refused(t, revoked, 410, 'link_expired');
  const api = apiOf(replica.url, first.token);
  const actions = (await api('GET', '/v0/audit')).body.data.map((entry: { action: string }) => entry.action);
  for (const action of ['invitation.created', 'invitation.accepted', 'invitation.revoked'])
    t.true(actions.includes(action), action);
  ahead = 11 * 60_000;
  const late = await bob.call(projectId, 'POST', '/v0/invitations', { role: 'none' });
  refused(t, late, 403, 'insufficient_scope', 'before a confirmation is asked for');
});

test('the first admin comes by an invitation of a token, and runs the installation if the token does', async t => {
  const { replica, first, person, post } = await openWorld(t);
  const made = (await admin(databaseOf(), [
    ...['token', 'create', '--project', first.projectId, '--name', 'first', '--scopes', '*,agents:operate'],
  ])) as { token: string };
  const token = apiOf(replica.url, made.token);
  const invited = await token('POST', '/v0/invitations', { role: 'admin' });
  t.is(invited.status, 201, JSON.stringify(invited.body));
  const ada = await person({ name: 'Ada' });
  const joined = await post('/auth/invitations/accept', { token: invited.body.url.split('#')[1] }, ada.headers);
  t.deepEqual(joined.body, { project_id: first.projectId, role: 'admin' });
  const operates = (await ada.call(null, 'GET', '/v0/me')).body.person.operator;
  const others = await withSql(databaseOf(), sql => sql.rows`select id from people where operator and id <> ${ada.id}`);
  t.is(operates, others.length === 0);
  refused(t, await token('POST', '/v0/invitations', { role: 'admin' }), 403, 'person_required');
});

test('of two admins who remove or lower each other at once one stays, each time', async t => {
  const { first, person } = await openWorld(t);
  const { projectId } = first;
  const pair = [await person({ name: 'One', project: projectId }), await person({ name: 'Two', project: projectId })];
  for (let round = 0; round < 20; round++) {
    const replies = await Promise.all(
      pair.map((one, own) => {
        const path = `/v0/members/${pair[1 - own]?.id}`;
        return round % 2 === 0
          ? one.call(projectId, 'DELETE', path)
          : one.call(projectId, 'PATCH', path, { role: 'viewer' });
      }),
    );
    const admins = await withSql(
      databaseOf(),
      sql => sql.rows`select 1 from members where project_id = ${projectId} and role = 'admin'`,
    );
    t.is(admins.length, 1);
    t.is(replies.filter(({ status }) => status < 300).length, 1, JSON.stringify(replies.map(({ body }) => body.code)));
    for (const { id } of pair)
      await admin(databaseOf(), ['member', 'add', '--project', projectId, '--person', id, '--role', 'admin']);
  }
});

test('who is removed, lowered or deactivated is refused with the next request, on every replica', async t => {
  const { first, person, post } = await openWorld(t);
  const { projectId } = first;
  const other = await startReplica(databaseOf());
  t.teardown(() => other.stop());
  const owner = await person({ name: 'Owner', project: projectId, operator: true });
  const bob = await person({ name: 'Bob', project: projectId });
  const there = (path: string) =>
    apiOf(other.url, '')('GET', path, undefined, { ...bob.headers, 'x-project-id': projectId });
  t.is((await there('/v0/tokens')).status, 200);
  t.is((await bob.call(projectId, 'POST', '/v0/invitations', { role: 'viewer' })).status, 201);
  const service = await bob.call(projectId, 'POST', '/v0/tokens', { name: 'ci', scopes: ['monitors:read'] });
  t.is(service.body.created_by, bob.id);
  t.is((await owner.call(projectId, 'PATCH', `/v0/members/${bob.id}`, { role: 'viewer' })).status, 200);
  refused(t, await there('/v0/tokens'), 403, 'insufficient_scope');
  const { data } = (await owner.call(projectId, 'GET', '/v0/invitations')).body;
  t.is(data[0].state, 'revoked', 'who is no longer admin has invited nobody');
  t.is((await owner.call(projectId, 'DELETE', `/v0/members/${bob.id}?tokens=revoke`)).status, 204);
  refused(t, await there('/v0/monitors'), 403, 'not_a_member');
  refused(t, await owner.call(projectId, 'DELETE', `/v0/members/${bob.id}`), 404, 'not_found');
  refused(t, await apiOf(other.url, service.body.token)('GET', '/v0/monitors'), 401, 'token_revoked');
  // An open stream ends within seconds, and says nothing of what came since.
  const eve = await person({ name: 'Eve', project: projectId, role: 'viewer' });
  const stream = await fetch(`${other.url}/v0/changes`, { headers: { ...eve.headers, 'x-project-id': projectId } });
  t.is(stream.status, 200);
  t.is((await owner.call(null, 'PATCH', `/v0/people/${eve.id}`, { state: 'deactivated' })).status, 200);
  refused(t, await eve.call(null, 'GET', '/v0/me'), 401, 'missing_token');
  t.regex(await stream.text(), /event: end\ndata: {"code":"missing_token"}/);
  refused(t, await owner.call(projectId, 'DELETE', `/v0/members/${owner.id}`), 409, 'last_admin');
  // Nobody who is out comes back by an invitation of their own.
  const mallory = await person({ name: 'Mallory', project: projectId });
  const own = (await mallory.call(projectId, 'POST', '/v0/invitations', { role: 'admin' })).body;
  const look = () => post('/auth/invitations/look', { token: own.url.split('#')[1] });
  const stateOfOwn = async () => (await owner.call(projectId, 'GET', '/v0/invitations')).body.data[0];
  t.is((await look()).status, 200);
  t.is((await owner.call(null, 'PATCH', `/v0/people/${mallory.id}`, { state: 'deactivated' })).status, 200);
  t.like(await stateOfOwn(), { id: own.id, state: 'revoked' });
  await withSql(databaseOf(), sql => sql.run`update invitations set revoked_at = null where id = ${own.id}`);
  refused(t, await look(), 410, 'link_expired', 'not even one that was sent at the same moment');
  t.is((await owner.call(null, 'DELETE', `/v0/people/${mallory.id}`)).status, 204);
  t.like(await stateOfOwn(), { state: 'revoked', invited_by: { name: 'Erased person' } });
});

test('one’s own sessions are listed and ended, and what is done needs a confirmation after ten minutes', async t => {
  let ahead = 0;
  const { replica, first, person } = await openWorld(t, { now: () => Date.now() + ahead });
  const { projectId } = first;
  const ada = await person({ name: 'Ada', project: projectId });
  const link = (await admin(databaseOf(), ['person', 'link', '--id', ada.id])) as { url: string };
  const second = await signInBy(t, replica.url, { id: ada.id, url: link.url });
  const list = (await ada.call(null, 'GET', '/v0/me/sessions')).body.data;
  t.deepEqual(
    list.map((session: { current: boolean; method: string }) => [session.current, session.method]),
    [
      [false, 'link'],
      [true, 'link'],
    ],
  );
  t.is((await ada.call(null, 'DELETE', '/v0/me/sessions')).status, 204);
  refused(t, await second.call(null, 'GET', '/v0/me'), 401, 'missing_token');
  t.is(
    (await ada.call(null, 'PATCH', '/v0/me', { name: 'Ada L.', preferences: { theme: 'dark' } })).body.name,
    'Ada L.',
  );
  ahead = 11 * 60_000;
  t.is((await ada.call(projectId, 'GET', '/v0/tokens')).status, 200);
  const late = await ada.call(projectId, 'POST', '/v0/tokens', { name: 'ci', scopes: ['monitors:read'] });
  refused(t, late, 403, 'confirmation_required');
  t.deepEqual(late.body.methods, []);
  const [own] = list.filter((session: { current: boolean }) => session.current);
  t.is((await ada.call(null, 'DELETE', `/v0/me/sessions/${own.id}`)).status, 204);
  refused(t, await ada.call(null, 'GET', '/v0/me'), 401, 'missing_token');
});

test('operators see people, not projects; joining one shows', async t => {
  const { replica, first, person } = await openWorld(t);
  const { projectId } = first;
  const operator = await person({ name: 'Operator', operator: true });
  const ada = await person({ name: 'Ada', project: projectId });
  refused(t, await operator.call(projectId, 'GET', '/v0/monitors'), 403, 'not_a_member');
  refused(t, await ada.call(null, 'GET', '/v0/people'), 403, 'insufficient_scope');
  refused(t, await ada.call(null, 'GET', '/v0/projects?all=true'), 403, 'insufficient_scope');
  refused(t, await apiOf(replica.url, first.token)('GET', '/v0/people'), 403, 'person_required');
  t.true((await operator.call(null, 'GET', '/v0/people?q=ada')).body.data.length > 0);
  const seen = (await operator.call(null, 'GET', `/v0/people/${ada.id}`)).body;
  t.deepEqual(
    seen.projects.map((project: { id: string; role: string }) => [project.id, project.role]),
    [[projectId, 'admin']],
  );
  t.is((await operator.call(null, 'POST', `/v0/projects/${projectId}/join`)).status, 200);
  t.is((await operator.call(projectId, 'GET', '/v0/monitors')).status, 200);
  const { data } = (await ada.call(projectId, 'GET', '/v0/audit?resource=member')).body;
  t.like(data[0], { action: 'member.added', actor: { type: 'person', id: operator.id } });
  const made = await operator.call(null, 'POST', '/v0/projects', { name: 'New' });
  t.is((await operator.call(made.body.id, 'GET', '/v0/project')).body.name, 'New');
  const link = await operator.call(null, 'POST', `/v0/people/${ada.id}/link`);
  t.is((await signInBy(t, replica.url, { id: ada.id, url: link.body.url })).id, ada.id);
  refused(t, await operator.call(null, 'POST', `/v0/people/${operator.id}/link`), 404, 'not_found');
  t.is((await operator.call(null, 'DELETE', `/v0/people/${ada.id}`)).status, 204);
  refused(t, await ada.call(null, 'GET', '/v0/me'), 401, 'missing_token');
  const gone = (await operator.call(null, 'GET', `/v0/people/${ada.id}`)).body;
  t.like(gone, { name: 'Erased person', email: null, state: 'erased', projects: [] });
  const installed = (await operator.call(null, 'GET', '/v0/installation/audit')).body.data;
  t.true(installed.some((entry: { action: string }) => entry.action === 'person.erased'));
});

test('a session of a token stays in its project, and a person’s cookie alone is no credential', async t => {
  const { replica, first, second, person } = await openWorld(t);
  const reply = await apiOf(replica.url, '')('POST', '/dashboard/session', { token: first.token });
  const headers = sessionHeaders(reply);
  const call = (extra: Record<string, string>) =>
    apiOf(replica.url, '')('GET', '/v0/monitors', undefined, { ...headers, ...extra });
  t.is((await call({})).status, 200);
  t.is((await call({ 'x-project-id': first.projectId })).status, 200);
  refused(t, await call({ 'x-project-id': second.projectId }), 403, 'not_a_member');
  const ada = await person({ name: 'Ada', project: first.projectId });
  const { cookie = '' } = ada.headers;
  const only = { cookie, 'x-project-id': first.projectId };
  refused(t, await apiOf(replica.url, '')('GET', '/v0/monitors', undefined, only), 401, 'missing_token');
  const foreign = { ...ada.headers, ...only, 'sec-fetch-site': 'cross-site' };
  refused(t, await apiOf(replica.url, '')('GET', '/v0/monitors', undefined, foreign), 403, 'origin_not_allowed');
});
