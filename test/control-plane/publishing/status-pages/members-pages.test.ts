import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import got, { type OptionsOfTextResponseBody } from 'got';
import { parseRange } from '#shared/network/guard.ts';
import { admin as runAdmin } from '#test/support/admin.ts';
import {
  type Api,
  apiOf,
  createTenant,
  startReplica,
  testSecretKey,
  until,
  withSql,
} from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { useWaitsOfProduct } from '#test/support/patient-pools.ts';
import { personOf, type SignedIn } from '#test/support/people.ts';
import { severable } from '#test/support/severable-database.ts';

const databaseOf = useDatabase(test);
useWaitsOfProduct(test);
const admin = (databaseUrl: string, args: string[]) => runAdmin(databaseUrl, args, { secretsKeys: [testSecretKey] });
const trusting = {
  trustedProxies: [parseRange('127.0.0.1')].filter(range => range !== null),
  smtpUrl: 'smtp://127.0.0.1:9',
};

const visit = (url: string, options: OptionsOfTextResponseBody = {}) =>
  got(url, {
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    ...options,
    headers: { accept: 'text/html', ...options.headers },
  });
const statusOf = async (url: string, cookie: string) => (await visit(url, { headers: { cookie } })).statusCode;
const seen = (url: string, cookie: string, status: number) =>
  until(
    () => statusOf(url, cookie).catch(() => 0),
    found => found === status,
  );

/** The cookie with which a member sees a page: through the dashboard, as browsers do it. */
async function enter(by: SignedIn, base: string, pageId: string): Promise<string> {
  const { status, body } = await by.call(null, 'POST', `/auth/pages/${pageId}/ticket`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { pathname, search } = new URL(body.url);
  const answer = await visit(`${base}${pathname}${search}`);
  if (answer.statusCode !== 303) throw new Error(`${answer.statusCode}`);
  return String(answer.headers['set-cookie']).split(';')[0] ?? '';
}

const pageOf = async (api: Api, slug: string) =>
  (await api('POST', '/v0/status-pages', { name: 'Secret Acme', slug, access: { type: 'members' } })).body.id as string;

test.serial('members see the page on every front, without the database too, until their membership ends', async t => {
  await using way = await severable(databaseOf());
  const pagesDir = await mkdtemp(join(tmpdir(), 'upquorum-members-'));
  t.teardown(() => rm(pagesDir, { recursive: true, force: true }));
  const port = await fixedPort();
  const first = await startReplica(databaseOf(), trusting);
  t.teardown(() => first.stop());
  const options = { ...trusting, pagesDir, port, roles: ['front'] as const };
  const second = await startReplica(way.url, { ...options, roles: [...options.roles] });
  const bases = [first.url, second.url];
  const { token, projectId } = await createTenant(databaseOf());
  const api = apiOf(first.url, token);
  const id = await pageOf(api, 'inside');
  const other = await pageOf(api, 'other');
  const path = '/status/inside';
  const as = (name: string, more: object = { project: projectId, role: 'viewer' }) =>
    personOf(t, databaseOf(), first.url, { name, ...more });
  const boss = await as('Boss', { project: projectId, role: 'admin', operator: true });

  for (const base of bases) await seen(`${base}${path}`, '', 403);
  const refused = await visit(`${first.url}${path}/history`);
  t.regex(refused.body, new RegExp(`<a class="button" href="[^"]*/auth/page/${id}">Sign in</a>`));
  t.notRegex(refused.body, /Acme/);
  t.regex((await visit(`${first.url}/auth/page/${id}`)).body, /id="dashboard"/);

  const stranger = await as('Stranger', {});
  const answers = [id, 'sp_00000000000000000000000000', 'x'].map(async each => {
    const { status, body } = await stranger.call(null, 'POST', `/auth/pages/${each}/ticket`);
    return [status, body.code];
  });
  for (const answer of await Promise.all(answers)) t.deepEqual(answer, [403, 'not_a_member']);
  t.like(await api('POST', `/auth/pages/${id}/ticket`), { status: 403, body: { code: 'person_required' } });
  t.is((await apiOf(first.url, '')('POST', `/auth/pages/${id}/ticket`)).status, 401);

  const ways: Record<string, (person: SignedIn) => Promise<unknown>> = {
    removed: ({ id: person }) => boss.call(projectId, 'DELETE', `/v0/members/${person}`),
    left: person => person.call(projectId, 'DELETE', `/v0/members/${person.id}`),
    'signed out everywhere': person => person.call(null, 'DELETE', '/v0/me/sessions'),
    deactivated: ({ id: person }) => boss.call(null, 'PATCH', `/v0/people/${person}`, { state: 'deactivated' }),
    erased: ({ id: person }) => boss.call(null, 'DELETE', `/v0/people/${person}`),
    'removed by a command': ({ id: person }) =>
      admin(databaseOf(), ['member', 'remove', '--project', projectId, '--person', person]),
    'signed out by a command': ({ id: person }) => admin(databaseOf(), ['session', 'end', '--person', person]),
    'deactivated by a command': ({ id: person }) =>
      admin(databaseOf(), ['person', 'update', '--id', person, '--state', 'deactivated']),
  };
  const ended: Record<string, { cookie: string; person: SignedIn }> = {};
  for (const [name, end] of Object.entries(ways)) {
    const person = await as(name);
    const cookie = await enter(person, first.url, id);
    for (const base of bases) await seen(`${base}${path}`, cookie, 200);
    t.is(await statusOf(`${first.url}/status/other`, cookie), 403, 'of this page alone');
    await end(person);
    const endedAt = performance.now();
    for (const base of bases) await seen(`${base}${path}`, cookie, 403);
    t.log(`${name}: closed on both fronts after ${Math.round(performance.now() - endedAt)} ms`);
    ended[name] = { cookie, person };
  }

  const back = await as('Back');
  const [before, ticket] = [
    await enter(back, first.url, id),
    await back.call(null, 'POST', `/auth/pages/${id}/ticket`),
  ];
  await boss.call(projectId, 'DELETE', `/v0/members/${back.id}`);
  await admin(databaseOf(), ['member', 'add', '--project', projectId, '--person', back.id, '--role', 'viewer']);
  const again = await enter(back, first.url, id);
  for (const base of bases) await seen(`${base}${path}`, again, 200);
  t.is(await statusOf(`${first.url}${path}`, before), 403, 'a cookie from before the membership');
  const late = new URL(ticket.body.url);
  const byTicket = await visit(`${first.url}${late.pathname}${late.search}`);
  const lateCookie = String(byTicket.headers['set-cookie']).split(';')[0] ?? '';
  t.is(await statusOf(`${first.url}${path}`, lateCookie), 403, 'and a ticket from before it');
  t.is((await visit(`${first.url}/status/other/access${late.search}`)).statusCode, 403, 'of this page alone');
  t.is((await visit(`${first.url}${path}/access?ticket=x`)).statusCode, 403);
  t.is((await visit(`${first.url}${path}?key=upf_x`, { headers: { cookie: again } })).body.includes('?key='), false);

  const check = async (base: string) => {
    t.is(await statusOf(`${base}${path}`, again), 200);
    t.is(await statusOf(`${base}${path}`, ''), 403);
    for (const [name, { cookie }] of Object.entries(ended)) t.is(await statusOf(`${base}${path}`, cookie), 403, name);
  };
  way.cut();
  await check(second.url);
  await second.stop();
  const restarting = startReplica(way.url, { ...options, roles: [...options.roles] });
  await seen(`${second.url}${path}`, again, 200);
  await check(second.url);
  way.mend();
  await (await restarting).stop();

  await boss.call(projectId, 'PATCH', `/v0/status-pages/${id}`, { access: { type: 'link' } });
  await boss.call(projectId, 'PATCH', `/v0/status-pages/${id}`, { access: { type: 'members' } });
  // Another version of the access.
  await seen(`${first.url}${path}`, again, 403);
  const { access } = (await api('GET', `/v0/status-pages/${other}`)).body;
  t.deepEqual({ ...access, changed_at: 0 }, { type: 'members', version: access.version, changed_at: 0 });
});

test.serial('on a page for members they subscribe with their own address, as long as they are members', async t => {
  const replica = await startReplica(databaseOf(), trusting);
  t.teardown(() => replica.stop());
  const { token, projectId } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const id = await pageOf(api, 'subscribed');
  const made = async (name: string) => {
    const person = await personOf(t, databaseOf(), replica.url, {
      name,
      email: `${name}@example.com`,
      project: projectId,
    });
    await withSql(databaseOf(), sql => sql.run`update people set email_verified = true where id = ${person.id}`);
    return person;
  };
  const [ada, bob, carl] = [await made('ada'), await made('bob'), await made('carl')];
  const subscribe = async (by: SignedIn, email: string) => {
    const cookie = await enter(by, replica.url, id);
    const from = { cookie, 'x-forwarded-for': `10.0.0.${email.length}` };
    return (
      await visit(`${replica.url}/status/subscribed/subscribe`, { method: 'POST', form: { email }, headers: from })
    ).statusCode;
  };
  t.is(
    (await visit(`${replica.url}/status/subscribed/subscribe`, { method: 'POST', form: { email: 'x@x.de' } }))
      .statusCode,
    403,
  );
  t.is(await subscribe(ada, 'bob@example.com'), 422);
  t.is(await subscribe(ada, 'ADA@example.com'), 202);
  await api('POST', `/v0/status-pages/${id}/subscribers`, { email: 'bob@example.com', consent: 'asked' });
  t.is(await subscribe(bob, 'bob@example.com'), 202);
  t.is(await subscribe(carl, 'carl@example.com'), 202);
  // As if the page had been public then.
  await withSql(databaseOf(), sql => sql.run`update subscribers set person_id = null where person_id = ${carl.id}`);
  t.is(await subscribe(carl, 'carl@example.com'), 202);
  const emails = async () => {
    const { body } = await api('GET', `/v0/status-pages/${id}/subscribers`);
    return (body.data as { email: string }[]).map(({ email }) => email).sort();
  };
  t.deepEqual(await emails(), ['ADA@example.com', 'bob@example.com', 'carl@example.com']);
  const boss = await personOf(t, databaseOf(), replica.url, { name: 'Boss', project: projectId });
  for (const person of [ada, bob, carl])
    t.is((await boss.call(projectId, 'DELETE', `/v0/members/${person.id}`)).status, 204);
  t.deepEqual(await emails(), ['bob@example.com'], 'whom the operator added stays');
});
