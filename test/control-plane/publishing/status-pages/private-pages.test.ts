import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import got, { type OptionsOfTextResponseBody } from 'got';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
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
import { personOf } from '#test/support/people.ts';
import { severable } from '#test/support/severable-database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
useWaitsOfProduct(test);
const password = 'correct horse battery';
const documents = [
  ...['', '/history', '/feed.rss', '/feed.atom', '/summary.json', '/badge.svg', '/icon.svg', '/logo'],
  ...['/incidents/{incident}', '/nothing'],
];
const keyed = new Set(['/feed.rss', '/feed.atom', '/summary.json', '/badge.svg']);
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const logo = `data:image/png;base64,${pixel}`;

const visit = (url: string, options: OptionsOfTextResponseBody = {}) =>
  got(url, {
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    ...options,
    headers: { accept: 'text/html', ...options.headers },
  });
const cookieOf = (answer: Awaited<ReturnType<typeof visit>>) =>
  (answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
const typePassword = (page: string, typed = password, headers: Record<string, string> = {}) =>
  visit(`${page}/access`, { method: 'POST', form: { password: typed, return_to: '/status/x' }, headers });

type Page = { id: string; slug: string; access: { type: string; url?: string; feed_url?: string; version: number } };
const shown = (answer: Awaited<ReturnType<typeof visit>>) => {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...headers } = answer.headers;
  // Problems repeat the path.
  const body = answer.body.replace(/"(instance|request_id)":"[^"]*"/g, '');
  return { status: answer.statusCode, headers, body };
};

async function privatePage(api: Api, slug: string, access: object): Promise<{ page: Page; incident: string }> {
  const created = await api('POST', '/v0/status-pages', { name: 'Secret Acme', slug, logo, access });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const update = { state: 'identified', body: 'Hush' };
  const posted = { status_page_id: created.body.id, title: 'Burglary', severity: 'p3', initial_update: update };
  const incident = (await api('POST', '/v0/incidents', posted)).body.id;
  return { page: created.body, incident };
}

test.serial(
  'type × document × what a visitor has: the same with the database, without it and after a restart',
  async t => {
    await using way = await severable(databaseOf());
    const pagesDir = await mkdtemp(join(tmpdir(), 'upquorum-private-'));
    t.teardown(() => rm(pagesDir, { recursive: true, force: true }));
    const port = await fixedPort();
    const first = await startReplica(databaseOf());
    t.teardown(() => first.stop());
    const second = await startReplica(way.url, { pagesDir, port, roles: ['front'] });
    const { token, projectId } = await createTenant(databaseOf());
    const api = apiOf(first.url, token);
    const member = () => personOf(t, databaseOf(), first.url, { name: 'Member', project: projectId, role: 'viewer' });
    const [former, present] = [await member(), await member()];
    type World = { name: string; page: Page; incident: string; old: string; cookie: string; key: string };
    const worlds: World[] = [];
    for (const [name, access] of Object.entries({
      password: { type: 'password', password },
      link: { type: 'link' },
      members: { type: 'members' },
      here: { type: 'ip', ranges: ['127.0.0.0/8', '::1'] },
      elsewhere: { type: 'ip', ranges: ['192.0.2.0/24'] },
    })) {
      const { page, incident } = await privatePage(api, `p-${name}`, access);
      const url = `${first.url}/status/${page.slug}`;
      const enter = async (as = present) => {
        if (name === 'members') {
          const { pathname, search } = new URL((await as.call(null, 'POST', `/auth/pages/${page.id}/ticket`)).body.url);
          return cookieOf(await visit(`${first.url}${pathname}${search}`));
        }
        if (name === 'password') return cookieOf(await typePassword(url));
        return name === 'link'
          ? cookieOf(await visit(`${url}?access=${new URL(page.access.url ?? '').searchParams.get('access')}`))
          : '';
      };
      const old = await enter(former);
      if (name === 'password')
        await api('PATCH', `/v0/status-pages/${page.id}`, { access: { type: 'password', password: `${password}!` } });
      if (name === 'password') await api('PATCH', `/v0/status-pages/${page.id}`, { access });
      if (name === 'members')
        await admin(databaseOf(), ['member', 'remove', '--project', projectId, '--person', former.id], {
          secretsKeys: [testSecretKey],
        });
      if (name === 'link') page.access = (await api('POST', `/v0/status-pages/${page.id}/rotate-link`)).body.access;
      const { body } = await api('GET', `/v0/status-pages/${page.id}`);
      const key = body.access.feed_url?.split('key=')[1] ?? 'upf_none';
      // From then on the replica knows the last version.
      if (key !== 'upf_none')
        await until(
          () => visit(`${url}/feed.rss?key=${key}`),
          answer => answer.statusCode === 200,
        );
      worlds.push({ name, page, incident, old, cookie: await enter(), key });
    }
    const rows = () =>
      worlds.flatMap(({ name, page, incident, old, cookie, key }, index) => {
        const others = worlds
          .map(world => world.cookie)
          .filter((_, other) => other !== index)
          .join('; ');
        const isPublicHere = name === 'here';
        return documents.flatMap(document => {
          const path = `/status/${page.slug}${document.replace('{incident}', incident)}`;
          const exists = document !== '/nothing';
          const entered = isPublicHere || cookie !== '';
          const closed = name === 'link' ? 'unknown' : 403;
          const inside = exists ? 200 : 'unknown';
          const of = (has: string, options: { cookie?: string; query?: string }, lets: boolean) => ({
            title: `${name} ${document} ${has}`,
            path: `${path}${options.query ?? ''}`,
            headers: options.cookie ? { cookie: options.cookie } : {},
            expected: lets ? inside : closed,
          });
          return [
            of('nothing', {}, isPublicHere),
            of('cookie', { cookie }, entered),
            of('key', { query: `?key=${key}` }, isPublicHere || (key !== 'upf_none' && keyed.has(document))),
            of('wrong key', { query: '?key=upf_0' }, isPublicHere),
            of('old cookie', { cookie: old }, isPublicHere),
            of('other pages’ cookies', { cookie: others }, isPublicHere),
          ];
        });
      });
    await until(
      () => visit(`${second.url}/status/p-here/incidents/${worlds[3]?.incident}`),
      answer => answer.statusCode === 200,
    );
    for (const { name, page, incident, cookie } of worlds)
      if (name !== 'elsewhere')
        for (const base of [first.url, second.url])
          await until(
            () => visit(`${base}/status/${page.slug}/incidents/${incident}`, { headers: { cookie } }),
            answer => answer.statusCode === 200,
          );
    const check = async (base: string, phase: string) => {
      const unknown = shown(await visit(`${base}/status/unknown`));
      for (const { title, path, headers, expected } of rows())
        for (const method of ['GET', 'HEAD'] as const) {
          const answer = await visit(`${base}${path}`, { method, headers: { ...headers, 'if-none-match': '*' } });
          const isInside = answer.statusCode === 304;
          const status = isInside ? 200 : answer.statusCode;
          // Without its database a replica looks up some unknown addresses (503), and above 20 a second none (404).
          const expectedAny = expected === 'unknown' ? (phase === 'cut' ? [404, 503] : [unknown.status]) : [expected];
          t.true((expectedAny as unknown[]).includes(status), `${phase} ${method} ${title}: ${status}`);
          if (expected === 'unknown' && method === 'GET' && phase !== 'cut')
            t.deepEqual(shown(answer), unknown, `${phase} ${title}`);
          t.notRegex(isInside ? '' : answer.body, /Acme|Burglary|Hush/, `${phase} ${title}`);
          if (expected === 200) t.is(answer.headers['cache-control'], 'private, no-cache');
          if (expected === 403) t.is(answer.headers['cache-control'], 'no-store');
          if (expected !== 'unknown') t.is(answer.headers['access-control-allow-origin'], undefined);
        }
    };
    await check(first.url, 'first');
    await check(second.url, 'second');
    way.cut();
    await check(second.url, 'cut');
    t.is(
      (await typePassword(`${second.url}/status/p-password`)).statusCode,
      303,
      'nobody needs the database to come in',
    );
    await second.stop();
    const restarting = startReplica(way.url, { pagesDir, port, roles: ['front'] });
    await until(
      () => visit(`${second.url}/status/p-here`).catch(() => null),
      answer => answer?.statusCode === 200,
    );
    await check(second.url, 'restarted');
    way.mend();
    await (await restarting).stop();
  },
);

test.serial('what a private page shows, and with what headers', async t => {
  const replica = await sharedReplica(databaseOf());
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const { page } = await privatePage(api, 'looks', { type: 'password', password });
  const url = `${replica.url}/status/looks`;
  const refused = await until(
    () => visit(url, { headers: { 'accept-language': 'de' } }),
    answer => answer.statusCode === 403,
  );
  t.regex(refused.body, /<html lang="de".*<form class="access" method="post" action="\/status\/looks\/access"/s);
  t.is((await visit(url, { headers: { accept: 'application/json' } })).body.includes('"access_required"'), true);
  const entered = await visit(`${url}/access`, {
    method: 'POST',
    form: { password, return_to: '/status/looks/history' },
  });
  t.like(entered, { statusCode: 303 });
  t.is(entered.headers.location, '/status/looks/history');
  t.regex(
    String(entered.headers['set-cookie']),
    /^upquorum-page-\w{26}=[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  const cookie = cookieOf(entered);
  const inside = await visit(url, { headers: { cookie } });
  t.like(inside.headers, {
    'cache-control': 'private, no-cache',
    'x-robots-tag': 'noindex, nofollow',
    'referrer-policy': 'no-referrer',
  });
  t.regex(inside.headers.vary ?? '', /^Cookie/);
  t.regex(String(inside.headers['content-security-policy']), /frame-ancestors 'none'/);
  const { feed_url } = (await api('GET', `/v0/status-pages/${page.id}`)).body.access;
  const key = String(feed_url).split('?')[1] ?? '';
  t.regex(key, /^key=upf_\w{38}$/);
  t.true(inside.body.includes(`href="/status/looks/feed.rss?${key}"`));
  t.is((await visit(`${url}?${key}`)).statusCode, 403, 'the key opens no HTML');
  let etag = String(inside.headers.etag);
  // The page may be published again meanwhile.
  await until(async () => {
    const again = await visit(url, { headers: { cookie, 'if-none-match': etag } });
    etag = String(again.headers.etag);
    return again.statusCode;
  }, 304);
  t.is((await visit(url, { headers: { 'if-none-match': etag } })).statusCode, 403);
  for (const target of [
    '//evil.example',
    'https://evil.example',
    '/status/looks/../x',
    '/status/looksx',
    '/status/looks//x',
  ])
    t.is(
      (
        await visit(`${url}/access`, {
          method: 'POST',
          form: { password, return_to: target },
          headers: { 'x-forwarded-for': target },
        })
      ).headers.location ?? '429',
      target === '/status/looks//x' ? '429' : '/status/looks',
    );
  const left = await visit(`${url}/leave`, { method: 'POST', headers: { cookie } });
  t.regex(String(left.headers['set-cookie']), /=; Path=\/; Max-Age=0/);
  const other = { 'sec-fetch-site': 'cross-site' };
  t.is((await typePassword(url, password, other)).statusCode, 403, 'no other site sends the form');
});

test.serial('200 guesses of one address are refused, and the right password from elsewhere gets in', async t => {
  const replica = await startReplica(databaseOf(), {
    trustedProxies: [parseRange('127.0.0.1')].filter(range => range !== null),
  });
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  await privatePage(api, 'guessed', { type: 'password', password });
  const url = `${replica.url}/status/guessed`;
  await until(
    () => visit(url),
    answer => answer.statusCode === 403,
  );
  const statuses = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      typePassword(url, `guess number ${index}`, { 'x-forwarded-for': '192.0.2.1' }),
    ),
  );
  t.deepEqual([...new Set(statuses.map(({ statusCode }) => statusCode))].sort(), [403, 429]);
  t.is(statuses.filter(({ statusCode }) => statusCode === 403).length, 5);
  t.truthy(statuses.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']);
  t.is((await typePassword(url, password, { 'x-forwarded-for': '192.0.2.1' })).statusCode, 429);
  t.is((await typePassword(url, password, { 'x-forwarded-for': '192.0.2.2' })).statusCode, 303);
});

test.serial('a public page that becomes private is gone from every front, old slugs too', async t => {
  const replica = await sharedReplica(databaseOf());
  const other = await startReplica(databaseOf());
  t.teardown(() => other.stop());
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const { page, incident } = await privatePage(api, 'was-public', { type: 'public' });
  await api('PATCH', `/v0/status-pages/${page.id}`, { slug: 'now-public' });
  const paths = [
    '/status/was-public',
    ...documents.map(each => `/status/now-public${each.replace('{incident}', incident)}`),
  ];
  const bases = [replica.url, other.url];
  for (const base of bases)
    await until(
      () => visit(`${base}/status/now-public/incidents/${incident}`),
      answer => answer.statusCode === 200,
    );
  await api('POST', `/v0/status-pages/${page.id}/subscribers`, { channel: 'webhook', url: 'http://127.0.0.1:9/x' });
  const patched = await api('PATCH', `/v0/status-pages/${page.id}`, { access: { type: 'link' } });
  t.is(patched.status, 200);
  t.regex(patched.body.warnings[0], /keeps its 1 subscriber:/);
  const changedAt = performance.now();
  for (const base of bases)
    await until(
      () => visit(`${base}/status/now-public`),
      answer => answer.statusCode === 404,
    );
  t.log(`gone from both fronts after ${Math.round(performance.now() - changedAt)} ms`);
  for (const base of bases) {
    const unknown = shown(await visit(`${base}/status/unknown`));
    for (const path of paths) t.deepEqual(shown(await visit(`${base}${path}`)), unknown, path);
    for (const verb of ['access', 'leave', 'subscribe', 'confirm', 'unsubscribe'])
      for (const slug of ['now-public', '%6eow-public', 'was-public']) {
        const method = /confirm|unsub/.test(verb) ? 'GET' : 'POST';
        const [known, none] = await Promise.all(
          [slug, 'unknown'].map(each =>
            visit(`${base}/status/${each}/${verb}`, {
              method,
              ...(method === 'POST' ? { form: { email: 'a@example.com' } } : {}),
            }),
          ),
        );
        t.deepEqual(known && shown(known), none && shown(none), `${slug} ${verb}`);
      }
  }
  const link = new URL(patched.body.access.url);
  const entered = await visit(`${other.url}${link.pathname}/history${link.search}`);
  t.is(entered.headers.location, '/status/now-public/history');
  const cookie = cookieOf(entered);
  const former = await visit(`${other.url}/status/was-public/history`, { headers: { cookie } });
  t.like(former, { statusCode: 308 });
  t.is(former.headers.location, '/status/now-public/history');
  t.is((await visit(`${other.url}/status/now-public/history`, { headers: { cookie } })).statusCode, 200);
  const again = await api('PATCH', `/v0/status-pages/${page.id}`, { access: { type: 'link' } });
  t.is(again.body.access.url, undefined, 'the same type changes nothing');
  t.is(again.body.access.version, 2);
  const shownPage = await api('GET', `/v0/status-pages/${page.id}`);
  t.is(shownPage.body.access.url, undefined);
  const rotated = await api('POST', `/v0/status-pages/${page.id}/rotate-link`);
  t.is(rotated.body.access.version, 3);
  await until(
    () => visit(`${other.url}/status/now-public`, { headers: { cookie } }),
    answer => answer.statusCode === 404,
  );
  t.is((await visit(`${other.url}${link.pathname}${link.search}`)).statusCode, 404, 'the former link ended');
  t.is((await visit(shownPage.body.access.feed_url.replace('http://localhost:8080', other.url))).statusCode, 404);
  await api('PATCH', `/v0/status-pages/${page.id}`, { access: { type: 'public' } });
  for (const base of bases)
    await until(
      () => visit(`${base}/status/was-public`),
      answer => answer.headers.location === '/status/now-public',
    );
  for (const path of paths.slice(1, -1)) t.is((await visit(`${other.url}${path}`)).statusCode, 200, path);
});

test.serial('a replica of before that publishes a private page publishes nothing that can be asked for', async t => {
  const replica = await sharedReplica(databaseOf());
  const api = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const { page } = await privatePage(api, 'older', { type: 'password', password });
  const paths = await withSql(databaseOf(), async sql => {
    for (const [path = '', type = ''] of [
      ['older', 'text/html'],
      ['older/feed.rss', 'application/rss+xml'],
      ['oldest', 'redirect:older'],
    ])
      await sql.run`
        insert into published_documents
          (path, status_page_id, project_id, source, content_type, etag, body_gzip, published_at)
        select ${path}, id, project_id, '', ${type}, 'x', '', now() from status_pages where id = ${page.id}
        on conflict (path) do update set etag = excluded.etag`;
    return sql.rows<{ path: string }>`select path from published_documents where status_page_id = ${page.id}`;
  });
  t.true(paths.every(({ path }) => path.includes(' ')));
});
