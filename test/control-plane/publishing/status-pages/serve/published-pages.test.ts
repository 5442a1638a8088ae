import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { createKeyring, newSecretKey } from '#control-plane/platform/secrets/keyring.ts';
import { gateDocument } from '#control-plane/publishing/status-pages/access/gate.ts';
import { hideDocuments } from '#control-plane/publishing/status-pages/access/store.ts';
import { listHistorySources, saveDocument } from '#control-plane/publishing/status-pages/publish/document-store.ts';
import {
  finishPublication,
  lockPublication,
  withdrawPage,
} from '#control-plane/publishing/status-pages/publish/publication-store.ts';
import { etagOf } from '#control-plane/publishing/status-pages/serve/page-files.ts';
import { PublishedPages } from '#control-plane/publishing/status-pages/serve/published-pages.ts';
import { statusPagePostSchema } from '#control-plane/publishing/status-pages/status-page.ts';
import { insertStatusPage } from '#control-plane/publishing/status-pages/store.ts';
import { createLog } from '#shared/log.ts';
import { createTenant, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const log = createLog({ name: 'test', level: 'silent' });
const keyring = createKeyring([newSecretKey()]);
const hour = 3_600_000;

const documentOf = (path: string, text: string) => {
  const common = { incident_id: null, source: '', content_type: 'text/html' };
  return { ...common, path, etag: etagOf(text), body_gzip: gzipSync(text) };
};

/** A page that only this test publishes: no replica runs, and the next publication is due in an hour. */
async function openPublisher(t: ExecutionContext) {
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const { projectId } = await createTenant(databaseOf());
  const sql = sqlOf(pools.background);
  const slug = `acme-${projectId.slice(-10)}`;
  const posted = { ...statusPagePostSchema.parse({ name: 'Acme' }), slug };
  const id = await insertStatusPage(sql, projectId, posted, Date.now());
  if (id === null) throw new Error('the slug is taken');
  await lockPublication(sql, id, Date.now());
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-pages-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return {
    sql,
    pool: pools.background,
    projectId,
    id,
    slug,
    folder,
    openPages: (withFolder = false, bytesMax?: number) =>
      new PublishedPages(pools.background, keyring, withFolder ? folder : null, log, bytesMax),
    save: async (path: string, text: string, source = '') => {
      await saveDocument(sql, { id, projectId }, { ...documentOf(path, text), source }, Date.now());
    },
    finish: () => finishPublication(sql, id, Date.now() + hour, Date.now()),
  };
}

test('a replica caches what is published, and follows changes only with the next publication', async t => {
  const { id, slug, openPages, save, finish } = await openPublisher(t);
  const pages = openPages();
  await save(slug, 'one');
  await finish();
  await pages.sync(id);
  t.like(pages.get(slug), { path: slug, pageId: id, contentType: 'text/html', etag: etagOf('one') });
  await save(slug, 'two');
  await pages.sync(id);
  t.is(pages.get(slug)?.etag, etagOf('one'));
  await finish();
  await pages.sync();
  t.is(pages.get(slug)?.etag, etagOf('two'));
});

test('after a failover documents are compared, since revisions may have gone back', async t => {
  const { id, slug, openPages, save, finish } = await openPublisher(t);
  const pages = openPages();
  await save(slug, 'lost');
  await finish();
  await pages.sync(id);
  await save(slug, 'published by the new primary');
  await pages.sync(id);
  t.is(pages.get(slug)?.etag, etagOf('lost'), 'its revision is the same');
  pages.distrustRevisions();
  await pages.sync();
  t.is(pages.get(slug)?.etag, etagOf('published by the new primary'));
});

test('documents that are no longer published are dropped, and a withdrawn page leaves nothing', async t => {
  const { sql, id, slug, openPages, save, finish } = await openPublisher(t);
  const pages = openPages();
  await save(slug, 'one');
  await save(`${slug}/history`, 'two', 'source of two');
  await finish();
  await pages.sync(id);
  t.truthy(pages.get(`${slug}/history`));
  t.deepEqual([...(await listHistorySources(sql, id))], [[`${slug}/history`, 'source of two']]);
  await sql.run`delete from published_documents where path = ${`${slug}/history`}`;
  await finish();
  await pages.sync(id);
  t.is(pages.get(`${slug}/history`), undefined);
  t.truthy(pages.get(slug));
  await withdrawPage(sql, id);
  await pages.sync(id);
  t.is(pages.get(slug), undefined);
});

test('a restarted replica serves from its disk before it has read the table', async t => {
  const { sql, id, slug, openPages, save, finish } = await openPublisher(t);
  await save(slug, 'one');
  await finish();
  const first = openPages(true);
  await first.sync(id);
  const restarted = openPages(true);
  t.is(restarted.size, 0);
  await restarted.load();
  t.deepEqual(restarted.get(slug), first.get(slug));
  await withdrawPage(sql, id);
  await restarted.sync();
  t.is(restarted.get(slug), undefined);
  const again = openPages(true);
  await again.load();
  t.is(again.get(slug), undefined);
});

test('of a page that becomes private the disk has nothing public, even if the replica ends just then', async t => {
  const { sql, id, projectId, slug, folder, openPages, save, finish } = await openPublisher(t);
  const pages = openPages(true);
  await save(slug, 'one');
  await finish();
  await pages.sync(id);
  const [publicFile = ''] = await readdir(folder);
  await hideDocuments(sql, id);
  const gate = { pageId: id, type: 'link' as const, version: 1, ranges: [], formerSlugs: [] };
  await saveDocument(sql, { id, projectId }, gateDocument(gate, slug, keyring), Date.now());
  await finish();
  // Writing the private document waits for a reader, as if the disk stood still.
  const pipe = join(folder, `${createHash('sha256').update(`${slug}/ `).digest('hex').slice(0, 40)}.page.new`);
  execFileSync('mkfifo', [pipe]);
  const synced = pages.sync(id);
  try {
    await until(
      () => readdir(folder),
      names => !names.includes(publicFile),
    );
  } finally {
    await readFile(pipe);
    await synced;
  }
  const restarted = openPages(true);
  await restarted.load();
  t.is(restarted.find(slug), undefined);
  t.is(restarted.gates.find(slug)?.gate?.type, 'link');
  t.is(pages.slugOf(id), slug, 'its own domain still leads to it');
});

test('a document that is not cached yet can be looked up, but not more than twenty times per second', async t => {
  const { slug, openPages, save } = await openPublisher(t);
  await save(slug, 'new');
  const pages = openPages();
  t.is(pages.find(slug), undefined);
  t.true(await pages.lookUp(slug));
  t.is(pages.get(slug)?.etag, etagOf('new'));
  t.false(await pages.lookUp(`${slug}-other`));
  // Started within one event-loop turn: at most two seconds can begin meanwhile.
  const found = await Promise.all(Array.from({ length: 100 }, () => pages.lookUp(slug)));
  const served = found.filter(isFound => isFound).length;
  t.true(served > 0 && served <= 40, `${served} of 100`);
});

test('bodies beyond the memory for them are read from disk, also without the table, or from the table', async t => {
  const { slug, id, folder, openPages, save, finish } = await openPublisher(t);
  await save(slug, 'the text');
  await finish();
  const pools = patientPools(databaseOf());
  const fromDisk = new PublishedPages(pools.background, keyring, folder, log, 0);
  await fromDisk.sync(id);
  await pools.end();
  const fromTable = openPages(false, 0);
  await fromTable.sync(id);
  for (const pages of [fromDisk, fromTable]) {
    t.is(pages.get(slug), undefined);
    t.like(pages.find(slug), { etag: etagOf('the text'), plainLength: 'the text'.length });
    const [one, again] = await Promise.all([pages.read(slug), pages.read(slug)]);
    t.is(one, again, 'read once for both');
    t.is(gunzipSync(one?.gzip ?? '').toString(), 'the text');
    t.is(await pages.read(`${slug}/none`), undefined);
  }
});

test('a body that was replaced meanwhile is the new one, of the new publication', async t => {
  const { slug, id, openPages, save, finish } = await openPublisher(t);
  await save(slug, 'one');
  await finish();
  const pages = openPages(false, 0);
  await pages.sync(id);
  await save(slug, 'two');
  await finish();
  t.is((await pages.read(slug))?.etag, etagOf('two'));
  t.is(pages.find(slug)?.etag, etagOf('two'));
});

test('documents of one publication change at once: nobody sees a new one and then an old one', async t => {
  const { sql, pool, projectId, slug, id, openPages } = await openPublisher(t);
  const paths = [slug, `${slug}/summary.json`, `${slug}/feed.rss`, `${slug}/feed.atom`, `${slug}/history`];
  const publish = (version: number) =>
    transaction(pool, async tx => {
      for (const path of paths)
        await saveDocument(tx, { id, projectId }, documentOf(path, `${version} ${path}`), Date.now());
      await finishPublication(tx, id, Date.now() + hour, Date.now());
    });
  await publish(0);
  const pages = openPages(true);
  await pages.sync(id);
  const versions = new Map<string, number>();
  for (let version = 0; version < 12; version++)
    for (const path of paths) versions.set(etagOf(`${version} ${path}`), version);
  const mixtures: number[][] = [];
  const watch = setInterval(() => {
    const seen = paths.map(path => versions.get(pages.find(path)?.etag ?? '') ?? -1);
    if (new Set(seen).size > 1) mixtures.push(seen);
  }, 0);
  t.teardown(() => clearInterval(watch));
  for (let version = 1; version < 12; version++) {
    // Each sync reads while the next publication is written, half of it at a time.
    const syncing = pages.sync(id);
    await publish(version);
    await syncing;
  }
  await pages.sync(id);
  t.deepEqual(mixtures, []);
  t.is(versions.get(pages.find(slug)?.etag ?? ''), 11);
  await withdrawPage(sql, id);
  await pages.sync(id);
  t.deepEqual(
    paths.map(path => pages.find(path)),
    paths.map(() => undefined),
  );
});
