import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import got from 'got';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import {
  finishPublication,
  lockPublication,
  requestPublication,
  takeRequests,
} from '#control-plane/publishing/status-pages/publish/publication-store.ts';
import { publishPage } from '#control-plane/publishing/status-pages/publish/publish.ts';
import { PageFiles } from '#control-plane/publishing/status-pages/serve/page-files.ts';
import { createLog } from '#shared/log.ts';
import { apiOf, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools, useWaitsOfProduct } from '#test/support/patient-pools.ts';
import { severable } from '#test/support/severable-database.ts';
import { openStatusWorld, type StatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
useWaitsOfProduct(test);

test.serial('a page is served as soon as it is created, with one strong ETag per encoding', async t => {
  const { replica, page } = await openStatusWorld(t, databaseOf(), {});
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
  const headers = { accept: 'text/html', 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
  const german = await got(`${url}-none`, { throwHttpErrors: false, headers });
  t.regex(german.body, /<html lang="de".*Seite nicht gefunden/s);
  t.regex(german.headers.vary ?? '', /Accept-Language/i);
  t.is((await apiOf(replica.url, '')('GET', `/status/${page.slug}-none`)).body.code, 'not_found');
});

test.serial('every change is published by every replica, and a deleted page leaves nothing', async t => {
  const { api, page, component } = await openStatusWorld(t, databaseOf(), {});
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
  t.is((await api('DELETE', `/v0/status-pages/${page.id}`)).body.code, 'status_page_in_use');
  await api('POST', `/v0/incidents/${incident.id}/resolve`, { body: 'over' });
  await api('DELETE', `/v0/components/${component.id}`);
  t.is((await api('DELETE', `/v0/status-pages/${page.id}`)).status, 204);
  await until(
    () => visit('GET', `/status/${page.slug}`),
    answer => answer.status === 404,
  );
  t.is((await api('POST', '/v0/status-pages', { name: 'Again', slug: page.slug })).status, 201);
});

test.serial(
  'page, feeds and badge are served with the same bytes while the database is unavailable, also after a restart',
  async t => {
    await using way = await severable(databaseOf());
    const pagesDir = await mkdtemp(join(tmpdir(), 'upquorum-pages-'));
    t.teardown(() => rm(pagesDir, { recursive: true, force: true }));
    const world = await openStatusWorld(t, way.url, { pagesDir });
    const posted = { title: 'Down', severity: 'p1', status_page_id: world.page.id };
    await world.api('POST', '/v0/incidents', { ...posted, initial_update: { state: 'investigating', body: 'x' } });
    const paths = ['', '/history', '/feed.rss', '/feed.atom', '/badge.svg', '/icon.svg', '/summary.json'].map(
      path => `/status/${world.page.slug}${path}`,
    );
    const read = async (url: string) =>
      Promise.all(
        paths.map(path => got(url + path, { retry: { limit: 0 } }).then(answer => [answer.body, answer.headers.etag])),
      );
    await until(
      () => read(world.replica.url),
      ([page]) => String(page?.[0]).includes('Down'),
    );
    // Further facts of the incident may publish the page once more.
    await until(
      async () => [
        await findSettledEtags(databaseOf(), world),
        (await read(world.replica.url)).map(([, etag]) => etag),
        await etagsOnDisk(pagesDir),
      ],
      ([stored, served, written]) =>
        stored !== null &&
        stored?.every(etag => served?.includes(`"${etag}-gz"`) === true && written?.includes(etag) === true) === true,
    );
    const before = await read(world.replica.url);
    way.cut();
    await until(
      () => world.visit('GET', '/readyz'),
      answer => answer.status === 503,
    );
    t.deepEqual(await read(world.replica.url), before);
    const away = await world.api('GET', '/v0/incidents');
    t.deepEqual([away.status, away.body.code, away.headers['retry-after']], [503, 'unavailable', '5']);
    const subscribing = await world.visit('POST', `${paths[0]}/subscribe`, {}, { accept: 'text/html' });
    t.deepEqual([subscribing.status, subscribing.headers['retry-after']], [503, '5']);

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
    const unready = await apiOf(early, world.token)('GET', '/v0/incidents');
    t.deepEqual([unready.body.code, unready.headers['retry-after']], ['unavailable', '5']);
    way.mend();
    const restarted = await starting;
    t.is((await apiOf(early, world.token)('GET', '/v0/incidents')).status, 200);
    await restarted.stop();
  },
);

/** ETags of the page's current documents once nothing is left to publish; null before. */
function findSettledEtags(databaseUrl: string, { projectId, page }: StatusWorld): Promise<string[] | null> {
  return withSql(databaseUrl, async sql => {
    const row = await sql.row<{ etags: string[] }>`
      select array_agg(etag) as etags
      from published_documents
      where status_page_id = ${page.id}
        and incident_id is null
        and not exists (select 1 from facts where project_id = ${projectId} and done_at is null)
        and not exists (select 1 from page_requests where status_page_id = ${page.id})
        and not exists (select 1 from page_publications where project_id = ${projectId} and due_at <= now())`;
    return row?.etags ?? null;
  });
}

async function etagsOnDisk(folder: string): Promise<string[]> {
  const log = createLog({ name: 'test', level: 'silent' });
  return Array.fromAsync(new PageFiles(folder, log).readAll(), ({ etag }) => etag);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** Requests for a publication that no publication has taken yet. */
function countRequests(databaseUrl: string, pageId: string): Promise<number> {
  return withSql(databaseUrl, async sql => {
    const row = await sql.row<{ count: number }>`
      select count(*) as count
      from page_requests
      where status_page_id = ${pageId}`;
    return row?.count ?? 0;
  });
}

test.serial(
  'a change that commits while the page is being rendered waits for nothing, and is published too',
  async t => {
    const { databaseUrl, page, api, visit } = await openStatusWorld(t, databaseOf(), {});
    const pools = patientPools(databaseUrl);
    t.teardown(() => pools.end());
    const release = Promise.withResolvers<void>();
    const claimed = Promise.withResolvers<void>();
    // A publisher that has locked a due page and read its rows before the change.
    await requestPublication(sqlOf(pools.background), [page.id], Date.now() - 1000);
    const publishing = transaction(pools.background, async sql => {
      await lockPublication(sql, page.id, Date.now());
      await takeRequests(sql, page.id);
      claimed.resolve();
      await release.promise;
      await finishPublication(sql, page.id, Date.now() + 300_000, Date.now());
    });
    await claimed.promise;
    await api('POST', '/v0/components', { status_page_id: page.id, name: 'Late' });
    await until(
      () => countRequests(databaseUrl, page.id),
      count => count > 0,
    );
    release.resolve();
    await publishing;
    await until(
      () => visit('GET', `/status/${page.slug}/summary.json`),
      answer => JSON.stringify(answer.body).includes('Late'),
    );
    t.pass();
  },
);

test.serial(
  'a setting that changes right after a publication has read the settings is published by the next',
  async t => {
    const { page, api, replica } = await openStatusWorld(t, databaseOf(), {});
    const left = await transaction(replica.pools.background, async sql => {
      const { row: read } = sql;
      let reads = 0;
      const overtaken: Sql = {
        ...sql,
        row: async <Row>(...statement: Parameters<Sql['row']>) => {
          const row = await read<Row>(...statement);
          if (reads++ === 1) t.is((await api('PATCH', `/v0/status-pages/${page.id}`, { name: 'Late' })).status, 200);
          return row;
        },
      };
      await publishPage(overtaken, page.id, { baseUrl: replica.url, canMail: false, nowMs: Date.now() });
      return sql.row<{ count: number }>`
      select count(*) as count
      from page_requests
      where status_page_id = ${page.id}`;
    });
    t.true((left?.count ?? 0) > 0);
  },
);

test.serial('a page is rendered as of its last request, which may have come while the thread was starting', async t => {
  const { page, replica } = await openStatusWorld(t, databaseOf(), {});
  const [nowMs, requestedMs] = [Date.now(), Date.now() + 3000];
  const published = await transaction(replica.pools.background, async sql => {
    await requestPublication(sql, [page.id], requestedMs);
    await publishPage(sql, page.id, { baseUrl: replica.url, canMail: false, nowMs });
    return sql.row`select published_at from page_publications where status_page_id = ${page.id}`;
  });
  t.deepEqual(published, { published_at: requestedMs });
});
