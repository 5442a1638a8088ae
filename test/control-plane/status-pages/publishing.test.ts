import { once } from 'node:events';
import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import got from 'got';
import { createPools } from '#control-plane/db/pool.ts';
import { sqlOf } from '#control-plane/db/sql.ts';
import { transaction } from '#control-plane/db/transaction.ts';
import { etagOf, PageFiles } from '#control-plane/status-pages/page-files.ts';
import {
  finishPublication,
  lockPublication,
  requestPublication,
} from '#control-plane/status-pages/publication-store.ts';
import { createLog } from '#shared/log.ts';
import { apiOf, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { severable } from '#test/support/severable-database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

test.serial('a page is there with its creation, under one strong ETag an encoding', async t => {
  const { replica, page } = await openStatusWorld(t, databaseOf());
  const url = `${replica.url}/status/${page.slug}`;
  const plain = await got(url, { decompress: false, headers: { 'accept-encoding': 'identity' } });
  const zipped = await got(url, { decompress: false, headers: { 'accept-encoding': 'br, gzip' } });
  t.is(plain.headers['content-encoding'], undefined);
  t.is(zipped.headers['content-encoding'], 'gzip');
  t.not(plain.headers.etag, zipped.headers.etag);
  t.regex(plain.headers.etag ?? '', /^"[^"]+"$/);
  t.regex(plain.headers['cache-control'] ?? '', /stale-while-revalidate=\d+, stale-if-error=\d+/);
  t.is(plain.headers.vary, 'Accept-Encoding');
  t.is(plain.headers['set-cookie'], undefined);
  t.regex(String(plain.headers['content-security-policy']), /default-src 'none'/);
  t.regex(String(plain.headers['x-request-id']), /^req_/);
  const unchanged = await got(url, { headers: { 'if-none-match': `"other", ${zipped.headers.etag}` } });
  t.is(unchanged.statusCode, 304);
  t.is(unchanged.body, '');
  const head = await got.head(url);
  t.is(head.body, '');
  t.is(head.headers.etag, zipped.headers.etag);
  const slashed = await got(`${url}/`, { followRedirect: false });
  t.like(slashed, { statusCode: 308 });
  t.is(slashed.headers.location, `/status/${page.slug}`);
  const missing = await got(`${url}-none`, { throwHttpErrors: false, headers: { accept: 'text/html' } });
  t.is(missing.statusCode, 404);
  t.regex(missing.headers['content-type'] ?? '', /^text\/html/);
  t.is((await apiOf(replica.url, '')('GET', `/status/${page.slug}-none`)).body.code, 'not_found');
});

test.serial(
  'every change is on the page of every replica, and a new slug leaves nothing under the old one',
  async t => {
    const { api, page, component } = await openStatusWorld(t, databaseOf());
    const other = await startReplica(databaseOf());
    t.teardown(() => other.stop());
    const visit = apiOf(other.url, '');
    const shows = (path: string, text: string) =>
      until(
        () => visit('GET', path),
        answer => answer.status === 200 && JSON.stringify(answer.body).includes(text),
      );
    await shows(`/status/${page.slug}/summary.json`, 'API');
    await api('PATCH', `/v0/components/${component.id}`, { name: 'Checkout' });
    await shows(`/status/${page.slug}/summary.json`, 'Checkout');
    const posted = { title: 'Slow', severity: 'p3', status_page_id: page.id };
    const incident = (
      await api('POST', '/v0/incidents', { ...posted, initial_update: { state: 'identified', body: 'x' } })
    ).body;
    await shows(`/status/${page.slug}/incidents/${incident.id}`, 'Slow');
    await shows(`/status/${page.slug}/feed.atom`, incident.updates[0].id);
    const slug = `${page.slug}-new`;
    t.is((await api('PATCH', `/v0/status-pages/${page.id}`, { slug })).status, 200);
    await shows(`/status/${slug}`, 'Slow');
    await shows(`/status/${slug}/incidents/${incident.id}`, 'Slow');
    await until(
      () => visit('GET', `/status/${page.slug}/incidents/${incident.id}`),
      answer => answer.status === 404,
    );
    t.is((await api('DELETE', `/v0/status-pages/${page.id}`)).body.code, 'status_page_in_use');
    await api('POST', `/v0/incidents/${incident.id}/resolve`, { body: 'over' });
    await api('DELETE', `/v0/components/${component.id}`);
    t.is((await api('DELETE', `/v0/status-pages/${page.id}`)).status, 204);
    await until(
      () => visit('GET', `/status/${slug}`),
      answer => answer.status === 404,
    );
    t.is((await api('POST', '/v0/status-pages', { name: 'Again', slug })).status, 201);
  },
);

test.serial(
  'page, feeds and badge answer with the same bytes while the database is away, also after a restart',
  async t => {
    await using way = await severable(databaseOf());
    const pagesDir = await mkdtemp(join(tmpdir(), 'upquorum-pages-'));
    t.teardown(() => rm(pagesDir, { recursive: true, force: true }));
    const world = await openStatusWorld(t, way.url, { pagesDir });
    const posted = { title: 'Down', severity: 'p1', status_page_id: world.page.id };
    await world.api('POST', '/v0/incidents', { ...posted, initial_update: { state: 'investigating', body: 'x' } });
    const paths = ['', '/history', '/feed.rss', '/feed.atom', '/badge.svg', '/summary.json'].map(
      path => `/status/${world.page.slug}${path}`,
    );
    const read = async (url: string) =>
      Promise.all(
        paths.map(path => got(url + path, { retry: { limit: 0 } }).then(answer => [answer.body, answer.headers.etag])),
      );
    await until(
      () => read(world.replica.url),
      ([first]) => String(first?.[0]).includes('Down'),
    );
    // The document of the incident follows the page by a turn at most.
    await until(
      () => world.api('GET', `/status/${world.page.slug}/history`),
      answer => String(answer.body).includes('Down'),
    );
    const before = await read(world.replica.url);
    way.cut();
    await until(
      () => world.visit('GET', '/readyz'),
      answer => answer.status === 503,
    );
    t.deepEqual(await read(world.replica.url), before);
    t.is((await world.api('GET', '/v0/incidents')).status, 503);

    const port = await freePort();
    const starting = startReplica(way.url, { pagesDir, port });
    const early = `http://127.0.0.1:${port}`;
    await until(
      () =>
        got(`${early}/healthz`, { retry: { limit: 0 } }).then(
          () => true,
          () => false,
        ),
      answered => answered,
    );
    t.deepEqual(await read(early), before);
    t.is((await apiOf(early, world.token)('GET', '/v0/incidents')).body.code, 'unavailable');
    way.mend();
    const restarted = await starting;
    t.is((await apiOf(early, world.token)('GET', '/v0/incidents')).status, 200);
    await restarted.stop();
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

test.serial('a change that comes while the page is being rendered is rendered too', async t => {
  const { databaseUrl, page, api, visit } = await openStatusWorld(t, databaseOf());
  const pools = createPools(databaseUrl, createLog({ name: 'test', level: 'silent' }));
  t.teardown(() => pools.end());
  const hold = Promise.withResolvers<void>();
  const claimed = Promise.withResolvers<void>();
  // A publisher of a page that is due: it has its turn, and has read nothing of what comes next.
  await requestPublication(sqlOf(pools.background), [page.id], Date.now() - 1000);
  const publishing = transaction(pools.background, async sql => {
    await lockPublication(sql, page.id, Date.now());
    claimed.resolve();
    await hold.promise;
    await finishPublication(sql, page.id, Date.now() + 300_000, Date.now());
  });
  await claimed.promise;
  await api('POST', '/v0/components', { status_page_id: page.id, name: 'Late' });
  await new Promise(resolve => setTimeout(resolve, 700));
  hold.resolve();
  await publishing;
  await until(
    () => visit('GET', `/status/${page.slug}/summary.json`),
    answer => JSON.stringify(answer.body).includes('Late'),
  );
  t.pass();
});

test('a file that was cut short is no page', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-pages-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const files = new PageFiles(folder, createLog({ name: 'test', level: 'silent' }));
  const text = 'a page '.repeat(500);
  const document = { pageId: 'sp_1', contentType: 'text/html', etag: etagOf(text), gzip: gzipSync(text) };
  await files.write({ ...document, path: 'whole' });
  await files.write({ ...document, path: 'other-text', etag: etagOf('other') });
  t.deepEqual(
    (await files.readAll()).map(({ path }) => path),
    ['whole'],
  );
  for (const name of await readdir(folder)) await truncate(join(folder, name), 60);
  t.deepEqual(await files.readAll(), []);
});
