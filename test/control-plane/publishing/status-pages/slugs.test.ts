import test from 'ava';
import got from 'got';
import { releaseSlugs } from '#control-plane/publishing/status-pages/slug-store.ts';
import { apiOf, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
const yearMs = 365 * 24 * 3_600_000;

/** Two projects, and a replica besides the one that is changed. */
async function openTwo(t: Parameters<typeof openStatusWorld>[0]) {
  const world = await openStatusWorld(t, databaseOf());
  const other = await startReplica(databaseOf());
  t.teardown(() => other.stop());
  const stranger = apiOf(world.replica.url, (await createTenant(databaseOf())).token);
  const at = (path: string) =>
    got(`${other.url}/status/${path}`, { followRedirect: false, throwHttpErrors: false, retry: { limit: 0 } });
  const rename = (slug: string) => world.api('PATCH', `/v0/status-pages/${world.page.id}`, { slug });
  const claim = (api: typeof stranger, slug: string) => api('POST', '/v0/status-pages', { name: 'Mine', slug });
  return { ...world, stranger, at, rename, claim };
}

test.serial('every address under a former slug leads to the new one, and nobody else gets it', async t => {
  const { api, page, stranger, at, rename, claim, visit } = await openTwo(t);
  const posted = { title: 'Slow', severity: 'p3', status_page_id: page.id };
  const update = { state: 'identified', body: 'x' };
  const incident = (await api('POST', '/v0/incidents', { ...posted, initial_update: update })).body;
  await until(async () => (await at(`${page.slug}/incidents/${incident.id}`)).statusCode, 200);
  const old = page.slug;
  const slug = `${old}-new`;
  t.is((await rename(slug)).status, 200);
  // At once, not after the next publication.
  t.is((await visit('GET', `/status/${slug}`)).status, 200);
  for (const path of ['', '/feed.rss', '/feed.atom', '/summary.json', '/badge.svg', '/history'])
    await until(async () => {
      const [former, present] = [await at(old + path), await at(slug + path)];
      return [former.statusCode, former.headers.location, present.statusCode];
    }, [308, `/status/${slug}${path}`, 200]);
  t.is(
    (await at(`${old}/incidents/${incident.id}?a=b`)).headers.location,
    `/status/${slug}/incidents/${incident.id}?a=b`,
  );
  t.is((await at(`${slug}/incidents/${incident.id}`)).statusCode, 200);
  await until(async () => (await at(`${slug}/summary.json`)).body.includes(`/status/${slug}`), true);
  for (const taken of [old, slug]) t.is((await claim(stranger, taken)).body.code, 'slug_taken');
  t.is((await claim(api, old)).body.code, 'slug_taken', 'the project’s own other pages cannot have it either');

  // The page may come back to its former slug; then the other one leads there.
  t.is((await rename(old)).status, 200);
  await until(async () => [(await at(slug)).headers.location, (await at(old)).statusCode], [`/status/${old}`, 200]);
  t.is((await rename(`${old}-third`)).status, 200);
  for (const former of [old, slug])
    await until(async () => (await at(former)).headers.location, `/status/${old}-third`);
});

test.serial('slugs of a deleted page are kept from other projects for a year', async t => {
  const { databaseUrl, api, page, component, stranger, at, rename, claim } = await openTwo(t);
  const slug = `${page.slug}-later`;
  await rename(slug);
  await api('DELETE', `/v0/components/${component.id}`);
  t.is((await api('DELETE', `/v0/status-pages/${page.id}`)).status, 204);
  for (const left of [page.slug, slug]) {
    await until(async () => (await at(left)).statusCode, 404);
    t.is((await claim(stranger, left)).body.code, 'slug_taken');
  }
  t.is((await claim(api, slug)).status, 201);
  await withSql(databaseUrl, sql => releaseSlugs(sql, Date.now() + yearMs - 60_000));
  t.is((await claim(stranger, page.slug)).body.code, 'slug_taken');
  await withSql(databaseUrl, sql => releaseSlugs(sql, Date.now() + yearMs + 60_000));
  t.is((await claim(stranger, page.slug)).status, 201);
  t.is((await claim(stranger, slug)).body.code, 'slug_taken');
});

test.serial('two projects that ask for one slug at once do not both get it, and one given up is nobody’s', async t => {
  const { page, stranger, api, rename, claim } = await openTwo(t);
  const answers = await Promise.all([stranger, api].map(who => claim(who, `${page.slug}-race`)));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409]);
  const [renamed, claimed] = await Promise.all([rename(`${page.slug}-away`), claim(stranger, page.slug)]);
  t.deepEqual([renamed?.status, claimed?.body.code], [200, 'slug_taken']);
});

test.serial('a PATCH that changes nothing leaves the page as it is', async t => {
  const { api, page } = await openStatusWorld(t, databaseOf());
  const before = (await api('GET', `/v0/status-pages/${page.id}`)).body;
  for (const patch of [{}, { name: before.name, slug: before.slug, history_days: before.history_days }])
    t.deepEqual((await api('PATCH', `/v0/status-pages/${page.id}`, patch)).body, before);
});
