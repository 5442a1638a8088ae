import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import got, { type OptionsOfTextResponseBody } from 'got';
import { domainConditions } from '#control-plane/publishing/status-pages/domains/watch.ts';
import { parseRange } from '#shared/network/guard.ts';
import { type Api, apiOf, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { createDatabase, useDatabase } from '#test/support/database.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { useWaitsOfProduct } from '#test/support/patient-pools.ts';
import { personOf } from '#test/support/people.ts';
import { openRaw } from '#test/support/raw-connection.ts';
import { severable } from '#test/support/severable-database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';
import { startZone } from '#test/support/zone.ts';

const databaseOf = useDatabase(test);
useWaitsOfProduct(test);
let zone: Zone;
test.before(async () => {
  zone = await startZone();
});
test.after.always(() => zone[Symbol.asyncDispose]());
/** The replica of most tests, which asks the zone and offers emails. */
const openReplica = () => sharedReplica(databaseOf(), { dnsServers: zone.servers, smtpUrl: 'smtp://127.0.0.1:9' });
const trustedProxies = [parseRange('127.0.0.2')].filter(range => range !== null);

const visit = (base: string, host: string, path: string, options: OptionsOfTextResponseBody = {}) =>
  got(`${base}${path}`, {
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    ...options,
    headers: { accept: 'text/html', host, ...options.headers },
  });
type Zone = Awaited<ReturnType<typeof startZone>>;

async function createPage(api: Api, slug: string, more: object = {}): Promise<{ id: string; incident: string }> {
  const page = await api('POST', '/v0/status-pages', { name: `Page ${slug}`, slug, ...more });
  if (page.status !== 201) throw new Error(JSON.stringify(page.body));
  const update = { state: 'identified', body: 'Hush' };
  const posted = { status_page_id: page.body.id, title: 'Burglary', severity: 'p3', initial_update: update };
  return { id: page.body.id, incident: (await api('POST', '/v0/incidents', posted)).body.id };
}

const addDomain = async (api: Api, pageId: string, domain: string) => {
  const added = await api('POST', `/v0/status-pages/${pageId}/domains`, { domain });
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  return added.body;
};

/** Looks for the record, as soon as that is allowed again. */
async function verify(api: Api, pageId: string, id: string, databaseUrl = databaseOf()) {
  await withSql(databaseUrl, sql => sql.run`update page_domains set asked_at = null where id = ${id}`);
  return (await api('POST', `/v0/status-pages/${pageId}/domains/${id}/verify`)).body;
}

async function prove(api: Api, zone: Zone, pageId: string, domain: string, databaseUrl = databaseOf()) {
  const added = await addDomain(api, pageId, domain);
  zone.txt.set(added.record.name, [...(zone.txt.get(added.record.name) ?? []), added.record.value]);
  const verified = await verify(api, pageId, added.id, databaseUrl);
  if (verified.state !== 'verified') throw new Error(JSON.stringify(verified));
  return verified;
}

test.serial('host × path: the same with the database, without it and after a restart', async t => {
  await using way = await severable(databaseOf());
  const pagesDir = await mkdtemp(join(tmpdir(), 'upquorum-domains-'));
  t.teardown(() => rm(pagesDir, { recursive: true, force: true }));
  const port = await fixedPort();
  const own = { dnsServers: zone.servers, trustedProxies };
  const first = await startReplica(databaseOf(), own);
  t.teardown(() => first.stop());
  const second = await startReplica(way.url, { ...own, pagesDir, port, roles: ['front'] });
  const { token } = await createTenant(databaseOf());
  const api = apiOf(first.url, token);
  const other = apiOf(first.url, (await createTenant(databaseOf())).token);
  const { id, incident } = await createPage(api, 'acme');
  await createPage(other, 'other');

  const canonical = await prove(api, zone, id, 'status.acme.example');
  t.like(canonical, { domain: 'status.acme.example', target: 'localhost', error: null, points_here: null });
  t.like(canonical.record, { name: '_upquorum.status.acme.example', type: 'TXT' });
  t.regex(canonical.record.value, /^upquorum-page=[0-9A-Za-z]{32}$/);
  t.is((await api('GET', `/v0/status-pages/${id}`)).body.canonical_domain, 'status.acme.example');
  await prove(api, zone, id, 'www.acme.example');
  await addDomain(api, id, 'pending.acme.example');
  const gone = await prove(api, zone, id, 'gone.acme.example');
  t.is((await api('DELETE', `/v0/status-pages/${id}/domains/${gone.id}`)).status, 204);
  const { id: plain } = await createPage(api, 'plain');
  await prove(api, zone, plain, 'plain.acme.example');
  t.is((await api('PATCH', `/v0/status-pages/${plain}`, { canonical_domain: null })).status, 200);

  const home = 'http://status.acme.example:8080';
  const below = 'http://localhost:8080/status/plain';
  const api404 = ['/v0/status-pages', '/v0/me', '/dashboard/session', '/auth/links', '/docs', '/metrics', '/healthz'];
  const elsewhere404 = ['/readyz', '/hb/x', '/ack/x', '/hooks/x', '/join', '/tls/ask?domain=status.acme.example'];
  const nothing = [...api404, ...elsewhere404, '/status/other', '/status/other/history', '/status', '/incidents', '//'];
  const documents = ['/', '/history', `/incidents/${incident}`, '/feed.rss', '/feed.atom', '/summary.json'];
  const pictures = ['/badge.svg', '/icon.svg', '/favicon.ico'];
  type Row = {
    host: string;
    path: string;
    status: number;
    location?: string;
    /** How long a CDN keeps it. */
    kept?: string;
    method?: 'POST' | 'PUT' | 'OPTIONS';
  };
  const rows: Row[] = [
    ...[...documents, ...pictures].map(path => ({ host: 'status.acme.example', path, status: 200 })),
    ...['STATUS.acme.example', 'status.acme.example.', 'status.acme.example:8080', 'status.acme.example.:1'].map(
      host => ({ host, path: '/', status: 200 }),
    ),
    { host: 'status.acme.example', path: '/status/acme', status: 308, location: '/' },
    { host: 'status.acme.example', path: '/status/acme/history?x=1', status: 308, location: '/history?x=1' },
    { host: 'status.acme.example', path: '/nothing', status: 404 },
    { host: 'status.acme.example', path: '/logo', status: 404 },
    { host: 'status.acme.example', path: '/incidents/inc_0', status: 404 },
    { host: 'status.acme.example', path: '/history', status: 404, method: 'POST' },
    { host: 'status.acme.example', path: '/', status: 404, method: 'PUT' },
    { host: 'status.acme.example', path: '/', status: 404, method: 'OPTIONS' },
    ...documents.map(path => ({ host: 'www.acme.example', path, status: 307, location: home + path })),
    { host: 'www.acme.example', path: '/status/acme/history', status: 307, location: `${home}/history` },
    { host: 'www.acme.example', path: '/subscribe', status: 404, method: 'POST' },
    { host: 'plain.acme.example', path: '/', status: 307, location: below },
    { host: 'plain.acme.example', path: '/history?a', status: 307, location: `${below}/history?a` },
    ...[...documents, ...nothing, '/status/acme'].map(path => ({ host: 'gone.acme.example', path, status: 404 })),
    ...['status.acme.example', 'www.acme.example'].flatMap(host => nothing.map(path => ({ host, path, status: 404 }))),
    {
      host: 'localhost:8080',
      path: '/status/acme',
      status: 307,
      location: `${home}/`,
      kept: 'public, max-age=0, s-maxage=10',
    },
    { host: 'unknown.example', path: '/status/acme/history?x', status: 307, location: `${home}/history?x` },
    { host: 'localhost:8080', path: '/status/acme/feed.rss', status: 200 },
    { host: 'localhost:8080', path: '/status/acme/summary.json', status: 200 },
    { host: 'localhost:8080', path: '/status/acme/badge.svg', status: 200 },
    { host: 'localhost:8080', path: '/status/plain', status: 200 },
  ];
  const check = async (base: string, phase: string) => {
    for (const { host, path, status, location, kept, method = 'GET' } of rows)
      for (const verb of method === 'GET' ? (['GET', 'HEAD'] as const) : ([method] as const)) {
        const answer = await visit(base, host, path, { method: verb });
        t.is(answer.statusCode, status, `${phase}: ${verb} ${host}${path}`);
        if (location !== undefined) t.is(answer.headers.location, location, `${phase}: ${host}${path}`);
        if (kept !== undefined) t.is(answer.headers['cache-control'], kept, `${phase}: ${host}${path}`);
        if (host !== 'localhost:8080') t.is(answer.headers['set-cookie'], undefined);
      }
    // Whoever only names a domain changes nothing there: it may be another name of the installation.
    for (const path of [...documents, ...nothing, '/status/acme']) {
      const [named, unknown] = await Promise.all(
        ['pending.acme.example', 'unknown.example'].map(host => visit(base, host, path)),
      );
      const partsOf = (answer = named) => [answer?.statusCode, answer?.headers.location, answer?.headers['set-cookie']];
      t.deepEqual(partsOf(named), partsOf(unknown), `${phase}: ${path}`);
    }
    for (const path of ['feed.rss', 'summary.json', 'badge.svg'])
      t.is(
        (await visit(base, 'status.acme.example', `/${path}`)).body,
        (await visit(base, 'localhost', `/status/acme/${path}`)).body,
      );
    const ask = (query: string, headers = {}) => visit(base, '127.0.0.1', `/tls/ask${query}`, { headers });
    for (const name of ['localhost', 'status.acme.example', 'STATUS.acme.example', 'www.acme.example'])
      t.is((await ask(`?domain=${name}`)).statusCode, 200, `${phase}: ask ${name}`);
    for (const name of ['pending.acme.example', 'gone.acme.example', 'acme.example', 'x.status.acme.example', ''])
      t.is((await ask(`?domain=${name}`)).statusCode, 404, `${phase}: ask ${name}`);
    for (const header of ['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'x-real-ip', 'via'])
      t.true([404, 503].includes((await ask('?domain=localhost', { [header]: '192.0.2.1' })).statusCode), header);
  };
  const ready = (base: string) =>
    until(
      async () => [
        (await visit(base, 'status.acme.example', `/incidents/${incident}`)).statusCode,
        (await visit(base, 'plain.acme.example', '/')).headers.location,
        (await visit(base, 'localhost:8080', '/status/plain')).body.includes('href="/status/plain/history"'),
        (await visit(base, 'gone.acme.example', '/')).statusCode,
        (await visit(base, 'status.acme.example', '/')).body.includes('href="/history"'),
      ],
      [200, below, true, 404, true],
    );
  await ready(first.url);
  await ready(second.url);
  await check(first.url, 'first');
  await check(second.url, 'second');

  const page = await visit(first.url, 'status.acme.example', '/');
  t.regex(page.body, /<link rel="canonical" href="http:\/\/status\.acme\.example:8080">/);
  t.notRegex(page.body, /\/status\/acme|localhost/);
  const feed = await visit(first.url, 'localhost', '/status/acme/feed.atom');
  t.regex(feed.body, /<id>urn:upquorum:sp_\w+<\/id>/);
  t.true(feed.body.includes(`href="${home}/incidents/${incident}#upd_`));
  t.is((await api('GET', `/v0/incidents/${incident}`)).body.url, `${home}/incidents/${incident}`);
  t.is((await api('GET', `/v0/status-pages/${id}`)).body.url, home);

  way.cut();
  await check(second.url, 'cut');
  await second.stop();
  const restarting = startReplica(way.url, { ...own, pagesDir, port, roles: ['front'] });
  await until(
    () => visit(second.url, 'status.acme.example', '/').catch(() => null),
    answer => answer?.statusCode === 200,
  );
  await check(second.url, 'restarted');
  way.mend();
  await (await restarting).stop();
});

test.serial('who may add, prove and choose which domain', async t => {
  const replica = await openReplica();
  const [api, other] = [
    apiOf(replica.url, (await createTenant(databaseOf())).token),
    apiOf(replica.url, (await createTenant(databaseOf())).token),
  ];
  const [{ id }, { id: theirs }] = [await createPage(api, 'mine'), await createPage(other, 'theirs')];
  const path = `/v0/status-pages/${id}/domains`;
  for (const [domain, code] of [
    ['localhost', 'format'],
    ['*.shop.example', 'format'],
    ['192.0.2.1', 'format'],
  ])
    t.like((await api('POST', path, { domain })).body.errors?.[0], { pointer: '/domain', code }, domain);
  const added = await addDomain(api, id, 'BÜCHER.example');
  t.like(added, { domain: 'xn--bcher-kva.example', state: 'pending', verified_at: null });
  t.like(await api('POST', path, { domain: 'bücher.example' }), { status: 409 });
  const { id: second } = await createPage(api, 'second');
  const again = await api('POST', `/v0/status-pages/${second}/domains`, { domain: 'bücher.example' });
  t.like(again.body, { code: 'domain_taken' });
  t.is((await other('POST', `/v0/status-pages/${theirs}/domains`, { domain: 'bücher.example' })).status, 201);
  // Nothing of another project, neither by its page nor by its domain.
  const unknown = `/v0/status-pages/${theirs}/domains/${added.id}`;
  for (const [method, target] of [
    ['GET', `/v0/status-pages/${theirs}/domains`],
    ['POST', `${unknown}/verify`],
    ['DELETE', unknown],
    ['POST', `${path}/dom_0/verify`],
    ['DELETE', `${path}/dom_0`],
  ] as const)
    t.is((await api(method, target)).status, 404, target);
  t.is((await other('DELETE', `${path}/${added.id}`)).status, 404);

  const looked = await api('POST', `${path}/${added.id}/verify`);
  t.like(looked.body, { state: 'pending', error: '_upquorum.xn--bcher-kva.example has no TXT record' });
  t.like(await api('POST', `${path}/${added.id}/verify`), { status: 429 });
  zone.txt.set(added.record.name, ['v=spf1 -all']);
  t.regex((await verify(api, id, added.id)).error, /has TXT records, but none with this value$/);
  zone.failing.add(added.record.name);
  t.regex((await verify(api, id, added.id)).error, /gave no answer .*ESERVFAIL/);
  const set = (canonical_domain: unknown) => api('PATCH', `/v0/status-pages/${id}`, { canonical_domain });
  for (const domain of ['xn--bcher-kva.example', 'unknown.example', ''])
    t.like((await set(domain)).body.errors?.[0], { pointer: '/canonical_domain', code: 'unknown_reference' });
  t.is((await set(null)).status, 200);

  for (const name of ['b', 'c', 'd', 'e']) await addDomain(api, id, `${name}.shop.example`);
  t.like((await api('POST', path, { domain: 'f.shop.example' })).body, { code: 'limit_reached' });
  t.is((await api('GET', path)).body.data.length, 5);
  const quotas = (await api('GET', '/v0/project')).body.quotas;
  t.like(
    quotas.find((quota: { resource: string }) => quota.resource === 'page_domains'),
    { used: 5, maximum: 20 },
  );
});

test.serial('a domain moves to the page that has proven it last, and is lost without its record', async t => {
  const replica = await openReplica();
  const [api, other] = [
    apiOf(replica.url, (await createTenant(databaseOf())).token),
    apiOf(replica.url, (await createTenant(databaseOf())).token),
  ];
  const [{ id }, { id: theirs }] = [await createPage(api, 'former'), await createPage(other, 'later')];
  const domain = 'moving.example';
  const [name, shown] = [`_upquorum.${domain}`, () => visit(replica.url, domain, '/')];
  const ours = await prove(api, zone, id, domain);
  await until(shown, ({ body }) => body.includes('Page former'));
  const list = async (of: Api, page: string) => (await of('GET', `/v0/status-pages/${page}/domains`)).body.data[0];

  const taken = await prove(other, zone, theirs, domain);
  t.like(await list(api, id), { state: 'lost', error: 'another status page has proven this domain since' });
  t.is((await api('GET', `/v0/status-pages/${id}`)).body.canonical_domain, null);
  await until(shown, ({ body }) => body.includes('Page later'));
  // Its record is still there: the worker leaves the domain where it is.
  const due = (dueId: string) =>
    withSql(
      databaseOf(),
      sql =>
        sql.run`update page_domains set next_check_at = now() - interval '1 s', checked_at = null where id = ${dueId}`,
    );
  await due(ours.id);
  await until(
    () => list(api, id),
    ({ checked_at }) => checked_at !== null,
  );
  t.like(await list(api, id), { state: 'lost' });
  const conditions = await withSql(databaseOf(), domainConditions);
  t.like(conditions[0], { kind: 'page_domain.failing', subjectId: ours.id, subjectName: domain });
  t.is(conditions.length, 1);

  // Whoever has given up a record is not served for ever.
  zone.txt.set(name, []);
  t.like(await verify(other, theirs, taken.id), { state: 'failing' });
  t.is((await shown()).statusCode, 200, 'still served');
  await withSql(
    databaseOf(),
    sql => sql.run`update page_domains set state_since = now() - interval '73 hours' where id = ${taken.id}`,
  );
  await due(taken.id);
  await until(
    () => list(other, theirs),
    ({ state }) => state === 'lost',
  );
  await until(shown, ({ statusCode }) => statusCode === 404);
  zone.txt.set(name, [ours.record.value]);
  t.like(await verify(api, id, ours.id), { state: 'verified' });
  await until(shown, ({ body }) => body.includes('Page former'));

  t.is((await api('GET', '/v0/audit?action=page_domain.created')).body.data.length, 1);
  t.is((await api('PATCH', `/v0/status-pages/${id}`, { canonical_domain: null })).status, 200);
  t.like((await api('GET', '/v0/audit?action=page_domain.canonical_set')).body.data[0], {
    subject: ours.id,
    before: { canonical: true },
    after: { canonical: false },
  });
  const { incident } = await createPage(api, 'x');
  await api('POST', `/v0/incidents/${incident}/updates`, { state: 'resolved', body: 'Over' });
  for (const { id: open } of (await api('GET', `/v0/incidents?status_page_id=${id}`)).body.data)
    await api('POST', `/v0/incidents/${open}/updates`, { state: 'resolved', body: 'Over' });
  t.is((await api('DELETE', `/v0/status-pages/${id}`)).status, 204);
  await until(shown, ({ statusCode }) => statusCode === 404);
  t.is((await visit(replica.url, domain, '/v0/me')).statusCode, 404, 'of a page that was deleted');
  t.is((await other('DELETE', `/v0/status-pages/${theirs}/domains/${taken.id}`)).status, 204);
  await prove(other, zone, theirs, domain);
  await until(shown, ({ body }) => body.includes('Page later'));

  const both = [
    [api, (await createPage(api, 'both-a')).id],
    [other, (await createPage(other, 'both-b')).id],
  ] as const;
  for (const [of, page] of both) {
    const { record } = await addDomain(of, page, 'both.example');
    zone.txt.set(record.name, [...(zone.txt.get(record.name) ?? []), record.value]);
  }
  const states = await Promise.all(
    both.map(async ([of, page]) => verify(of, page, (await list(of, page)).id).then(({ state }) => state)),
  );
  t.true(states.includes('verified'), 'two pages at the same time');
  const after = await Promise.all(both.map(async ([of, page]) => (await list(of, page)).state));
  t.deepEqual(after.sort(), ['lost', 'verified']);
});

test.serial('a private page at its own domain asks there, and tells nobody else its slug', async t => {
  const replica = await openReplica();
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const password = 'correct horse battery';
  const { id } = await createPage(api, 'secret', { access: { type: 'password', password } });
  await prove(api, zone, id, 'secret.example');
  const host = 'secret.example';
  const asked = await until(
    () => visit(replica.url, host, '/history'),
    ({ statusCode }) => statusCode === 403,
  );
  t.regex(asked.body, /action="\/access".*name="return_to" value="\/history"/s);
  t.notRegex(asked.body, /secret|Page/);
  for (const path of ['/status/secret', '/status/secret/history', '/status/secret/confirm', '/status/unknown'])
    t.is((await visit(replica.url, host, path)).statusCode, 404, path);
  const entered = await visit(replica.url, host, '/access', {
    method: 'POST',
    form: { password, return_to: '/history' },
  });
  t.like(entered, { statusCode: 303 });
  t.is(entered.headers.location, '/history');
  const cookie = (entered.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
  const inside = await until(
    () => visit(replica.url, host, '/', { headers: { cookie } }),
    ({ statusCode, body }) => statusCode === 200 && body.includes('href="/history"'),
  );
  t.like(inside.headers, { 'cache-control': 'private, no-cache', vary: 'Cookie, Accept-Encoding' });
  t.notRegex(entered.headers['set-cookie']?.join() ?? '', /domain=/i);
  t.regex(inside.body, /href="\/feed\.rss\?key=upf_\w+"/);
  const feed = /href="(\/feed\.rss\?key=upf_\w+)"/.exec(inside.body)?.[1] ?? '';
  t.is((await visit(replica.url, host, feed)).statusCode, 200);
  t.is((await visit(replica.url, 'localhost', `/status/secret${feed}`)).statusCode, 200);
  const old = await visit(replica.url, host, '/status/secret/history', { headers: { cookie } });
  t.is(old.headers.location, '/history');
  t.is(old.headers['cache-control'], 'no-store');
  t.is((await visit(replica.url, 'localhost', '/status/secret')).statusCode, 403, 'below PUBLIC_URL the gate is first');
  const carried = await visit(replica.url, 'localhost', '/status/secret', { headers: { cookie } });
  t.is(carried.statusCode, 403, 'whoever gets a domain that was given up gets its cookies, and nothing by them');
  const below = await visit(replica.url, 'localhost', '/status/secret/access', { method: 'POST', form: { password } });
  const belowCookie = String(below.headers['set-cookie']).split(';')[0] ?? '';
  const home = await visit(replica.url, 'localhost', '/status/secret', { headers: { cookie: belowCookie } });
  t.like(home, { statusCode: 307 });
  t.is(home.headers.location, 'http://secret.example:8080/');
  t.is((await visit(replica.url, host, '/', { headers: { cookie: belowCookie } })).statusCode, 403);

  const { access } = (await api('PATCH', `/v0/status-pages/${id}`, { access: { type: 'link' } })).body;
  t.regex(access.url, /^http:\/\/secret\.example:8080\?access=upv_\w+$/);
  const secret = new URL(access.url).search;
  await until(
    () => visit(replica.url, host, '/', { headers: { cookie } }),
    ({ statusCode }) => statusCode === 404,
  );
  const unknown = await visit(replica.url, host, '/nothing');
  for (const path of ['/', '/history', '/feed.rss', '/status/secret']) {
    const answer = await visit(replica.url, host, path);
    t.deepEqual([answer.statusCode, answer.body], [unknown.statusCode, unknown.body], path);
  }
  const opened = await visit(replica.url, host, `/${secret}`);
  t.like(opened, { statusCode: 303 });
  t.is(opened.headers.location, '/');
  const led = await visit(replica.url, 'localhost', `/status/secret${secret}`);
  t.is(led.headers.location, `http://secret.example:8080/${secret}`, 'a link of before');
  for (const [type, status] of [
    ['public', 200],
    ['members', 403],
  ] as const) {
    t.is((await api('PATCH', `/v0/status-pages/${id}`, { access: { type } })).status, 200);
    await until(async () => (await visit(replica.url, host, '/')).statusCode, status);
  }
});

test.serial('members come from the dashboard to the page at its own domain, with a ticket for this host', async t => {
  const replica = await openReplica();
  const { token, projectId } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const { id } = await createPage(api, 'inside', { access: { type: 'members' } });
  const member = await personOf(t, databaseOf(), replica.url, { name: 'Mo', project: projectId, role: 'viewer' });
  const ticketOf = async () => new URL((await member.call(null, 'POST', `/auth/pages/${id}/ticket`)).body.url);
  const early = await ticketOf();
  t.is(early.host, 'localhost:8080');
  const host = 'inside.example';
  await prove(api, zone, id, host);
  const asked = await until(
    () => visit(replica.url, host, '/'),
    ({ statusCode }) => statusCode === 403,
  );
  t.true(asked.body.includes(`http://localhost:8080/auth/page/${id}`));
  const ticket = await ticketOf();
  t.is(ticket.origin, 'http://inside.example:8080');
  t.is((await visit(replica.url, host, `/access${early.search}`)).statusCode, 403, 'for another host');
  t.is((await visit(replica.url, 'localhost', `/status/inside/access${ticket.search}`)).statusCode, 403);
  const entered = await visit(replica.url, host, `/access${ticket.search}`);
  t.deepEqual([entered.statusCode, entered.headers.location], [303, '/']);
  const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? '';
  t.is((await visit(replica.url, host, '/', { headers: { cookie } })).statusCode, 200);
});

test.serial('subscribers of a page are met at its own domain, and those of others are not', async t => {
  const replica = await openReplica();
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const { id } = await createPage(api, 'news');
  await createPage(api, 'foreign');
  await prove(api, zone, id, 'news.example');
  const host = 'news.example';
  await until(
    () => visit(replica.url, host, '/'),
    ({ body }) => body.includes('action="/subscribe"'),
  );
  const form = { email: 'someone@example.org' };
  const subscribed = await visit(replica.url, host, '/subscribe', { method: 'POST', form });
  t.is(subscribed.statusCode, 202);
  t.regex(subscribed.body, /href="\/"/);
  t.is((await visit(replica.url, 'localhost', '/status/news/subscribe', { method: 'POST', form })).statusCode, 202);
  const none = `ups_${'a'.repeat(38)}`;
  t.is((await visit(replica.url, host, `/confirm?token=${none}`)).statusCode, 404);
  t.is((await visit(replica.url, host, '/confirm')).statusCode, 404);
  t.is((await visit(replica.url, host, '/subscribe')).statusCode, 404);
});

test.serial('by https pages have HSTS of their own; by http they lead there', async t => {
  // In a database of its own: whichever replica publishes a page writes its own address into it.
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const replica = await startReplica(database.url, {
    dnsServers: zone.servers,
    publicUrl: 'https://up.ops.example',
    trustedProxies: [parseRange('127.0.0.0/8')].filter(range => range !== null),
  });
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, (await createTenant(database.url)).token);
  const { id } = await createPage(api, 'safe');
  const refused = await api('POST', `/v0/status-pages/${id}/domains`, { domain: 'ops.example' });
  t.like(refused.body.errors?.[0], { code: 'not_allowed' });
  await prove(api, zone, id, 'safe.example', database.url);
  const by = (proto: string | null, path: string, options: OptionsOfTextResponseBody = {}) =>
    visit(replica.url, 'safe.example', path, {
      ...options,
      headers: proto === null ? {} : { 'x-forwarded-proto': proto },
    });
  // At a host that is not known yet the dashboard is at `/`.
  await until(
    () => by('https', '/summary.json'),
    ({ statusCode }) => statusCode === 200,
  );
  for (const path of ['/', '/feed.rss', '/nothing', '/confirm'])
    t.is((await by('https', path)).headers['strict-transport-security'], 'max-age=2592000', path);
  const led = await by('http', '/history?a=b');
  t.deepEqual([led.statusCode, led.headers.location], [308, 'https://safe.example/history?a=b']);
  t.is(led.headers['strict-transport-security'], undefined);
  t.is((await by('http', '/v0/me')).statusCode, 404);
  const open = await by(null, '/');
  t.deepEqual(
    [open.statusCode, open.headers['strict-transport-security']],
    [200, undefined],
    'a proxy that says nothing',
  );
  t.is((await visit(replica.url, 'up.ops.example', '/status/safe')).headers.location, 'https://safe.example/');
});

test.serial('what no client library would send reaches nothing at the domain of a page', async t => {
  const replica = await openReplica();
  const { token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const { id } = await createPage(api, 'raw');
  await prove(api, zone, id, 'raw.example');
  await addDomain(api, id, 'agents.ops.example');
  await until(
    () => visit(replica.url, 'raw.example', '/'),
    ({ statusCode }) => statusCode === 200,
  );
  const send = async (target: string, head: string, method = 'GET') => {
    await using raw = await openRaw(replica.port);
    const connection = head.includes('Upgrade') ? 'Upgrade' : 'close';
    return (
      await raw.exchange(`${method} ${target} HTTP/1.1\r\n${head}\r\nConnection: ${connection}\r\n\r\n`, method, 2000)
    )?.status;
  };
  const authorization = `Authorization: Bearer ${token}`;
  for (const [target, head] of [
    ['/v0/me', `Host: raw.example\r\n${authorization}`],
    ['/v0/me', `hOST: RAW.example.:80\r\n${authorization}`],
    ['http://localhost/v0/me', `Host: raw.example\r\n${authorization}`],
    ['http://raw.example/v0/me', `Host: localhost\r\n${authorization}`],
    ['http://x@raw.example:80/v0/me', `Host: localhost\r\n${authorization}`],
    ['/v0/me', `Host: raw.example\r\nX-Forwarded-Host: localhost\r\n${authorization}`],
    ['/v0/me', `Host: raw.example\r\nHost: localhost\r\n${authorization}`],
    ['/status/raw/../../v0/me', `Host: raw.example\r\n${authorization}`],
    ['/%76%30/me', `Host: raw.example\r\n${authorization}`],
    ['/history/../v0/me', `Host: raw.example\r\n${authorization}`],
    ['//localhost/v0/me', `Host: raw.example\r\n${authorization}`],
    ['*', 'Host: raw.example'],
    ['/\x7f', 'Host: raw.example'],
    ['/?\xff', 'Host: raw.example'],
  ])
    t.true([400, 404].includes((await send(target ?? '', head ?? '')) ?? 404), `${target} ${head}`);
  t.is(await send('/v0/me', `Host: localhost\r\n${authorization}`), 200);
  t.is(await send('/v0/me', `Host: localhost\r\nX-Forwarded-Host: raw.example\r\n${authorization}`), 200);
  const upgrade = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
  t.is(await send('/v0/agents/connect', `Host: raw.example\r\n${upgrade}`), 404);
  const named = await send('/v0/agents/connect', `Host: agents.ops.example\r\n${upgrade}`);
  t.is(named, 401, 'a name that was never proven cuts off no agent');
  t.is(await send('/v0/me', `Host: agents.ops.example\r\n${authorization}`), 200, 'nobody who has a token');
  t.is(await send('/', 'Host: agents.ops.example'), 200, 'and nobody who signs in');
});
