import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import {
  claimDue,
  lockPublication,
  noteTurn,
  reduceDetail,
  requestPublication,
} from '#control-plane/publishing/status-pages/publish/publication-store.ts';
import { Publisher } from '#control-plane/publishing/status-pages/publish/publisher.ts';
import { createLog } from '#shared/log.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { useOwnThreads } from '#test/support/kept-threads.ts';
import { addIncidents, addMeasuredComponents } from '#test/support/large-page.ts';
import { createPage } from '#test/support/page-rows.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { threadMs } from '#test/support/thread-time.ts';

const databaseOf = useDatabase(test);
useOwnThreads(test);
const log = createLog({ name: 'test', level: 'silent' });
const bytesMax = 2 * 1024 * 1024;

/** A page that is due, as the only one, in a database in which no replica runs. */
async function openPublisher(t: ExecutionContext) {
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const page = await createPage(databaseOf());
  const sql = sqlOf(pools.background);
  await sql.run`update page_publications set due_at = now() + interval '1 day'`;
  await lockPublication(sql, page.statusPageId, Date.now());
  const common = {
    pool: pools.background,
    connectionString: databaseOf(),
    baseUrl: 'https://up.example',
    canMail: true,
    log,
  };
  const open = (busyMaxMs = 120_000, idleHeapMax?: number) => {
    const publisher = new Publisher({ ...common, busyMaxMs, ...(idleHeapMax === undefined ? {} : { idleHeapMax }) });
    t.teardown(() => publisher[Symbol.asyncDispose]());
    return publisher;
  };
  return { sql, page, open };
}

async function readDocuments(sql: Sql, pageId: string): Promise<Map<string, string>> {
  const rows = await sql.rows<{ path: string; body_gzip: Buffer }>`
    select path, body_gzip
    from published_documents
    where status_page_id = ${pageId}`;
  return new Map(rows.map(({ path, body_gzip }) => [path.replace(/^[^/]+/, ''), gunzipSync(body_gzip).toString()]));
}

const isPublished = async (publisher: Publisher) => {
  for (let times = 0; times < 50; times++) if (!(await publisher.publishDue(Date.now()))) return times > 0;
  return false;
};

test.serial('the largest page is published within 2 MiB a document, and not on this event loop', async t => {
  const { sql, page, open } = await openPublisher(t);
  await sql.run`update status_pages set history_days = 365 where id = ${page.statusPageId}`;
  await addMeasuredComponents(sql, page, 300, Date.now());
  const body = `We **look** into it. ${'Many words follow. '.repeat(40)}`;
  await addIncidents(sql, page, { incidents: 50, updates: 100, body }, Date.now());
  const ms = await threadMs(async () => t.true(await isPublished(open())));
  t.true(ms < 1500, `${ms} ms of this thread`);
  const documents = await readDocuments(sql, page.statusPageId);
  t.is([...documents.keys()].filter(path => path.startsWith('/incidents/')).length, 50);
  for (const [path, text] of documents) t.true(Buffer.byteLength(text) <= bytesMax, `${path}: ${text.length}`);
  const html = documents.get('') ?? '';
  t.is(html.match(/<li id="comp_/g)?.length, 300);
  t.is(html.match(/<article /g)?.length, 50);
  t.regex(html, /<li>\d+ days:/);
  t.regex(html, /<a href="\/status\/[^"]+\/incidents\/[^"]+#updates">\d\d earlier updates<\/a>/);
  t.is(documents.get(`/incidents/inc_${page.statusPageId}_7`)?.match(/<li id="upd_/g)?.length, 100);
});

test.serial('a page that takes too long is published with less, and others go on', async t => {
  const { sql, page, open } = await openPublisher(t);
  await sql.run`update status_pages set history_days = 365 where id = ${page.statusPageId}`;
  await addMeasuredComponents(sql, page, 300, Date.now());
  await addIncidents(sql, page, { incidents: 5, updates: 20, body: '# a\n\n*b*\n\n'.repeat(100) }, Date.now());
  t.true(await open(1).publishDue(Date.now()));
  t.is((await readDocuments(sql, page.statusPageId)).size, 0);
  t.true(await isPublished(open()));
  const html = (await readDocuments(sql, page.statusPageId)).get('') ?? '';
  t.regex(html, /<li>30 days:/);
});

test.serial('each time a page takes too long it is tried with less, and in the end a while later', async t => {
  const { sql, page } = await openPublisher(t);
  const now = Date.now();
  const attempts: (number | null)[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    attempts.push((await claimDue(sql, now))?.level ?? null);
    await reduceDetail(sql, page.statusPageId, 2, now);
  }
  t.deepEqual(attempts, [0, 1, 2, null]);
  t.is((await claimDue(sql, now + 15 * 60_000))?.level, 2);
  t.is((await claimDue(sql, now + 61 * 60_000))?.level, 0, 'after an hour it is tried in full');
  await lockPublication(sql, page.statusPageId, now);
});

test.serial('a project whose pages change all the time, or take long, does not delay the others', async t => {
  const { sql, page } = await openPublisher(t);
  const other = await createPage(databaseOf());
  await lockPublication(sql, other.statusPageId, Date.now());
  await requestPublication(sql, [page.statusPageId], Date.now() - 60_000);
  const turns: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const claimed = await claimDue(sql, Date.now());
    turns.push(claimed?.id ?? 'none');
    await noteTurn(sql, claimed?.projectId ?? '', Date.now() + turn);
  }
  const [one, two] = [page.statusPageId, other.statusPageId];
  t.deepEqual(turns, [one, two, one, two]);
});

test.serial('a text is rendered once, when it is first published, and again after an edit', async t => {
  const { sql, page, open } = await openPublisher(t);
  await addIncidents(sql, page, { incidents: 1, updates: 1, body: '**bold**' }, Date.now());
  const publisher = open();
  const show = async () => {
    await requestPublication(sql, [page.statusPageId], Date.now());
    t.true(await isPublished(publisher));
    return (await readDocuments(sql, page.statusPageId)).get('') ?? '';
  };
  t.regex(await show(), /<strong>bold<\/strong> number 1/);
  const stored = await sql.row<{ html: string; excerpt: string }>`
    select html, excerpt
    from incident_updates
    where status_page_id = ${page.statusPageId}`;
  t.deepEqual(stored, { html: '<p><strong>bold</strong> number 1</p>', excerpt: 'bold number 1' });
  await sql.run`update incident_updates set html = '<p>stored</p>' where status_page_id = ${page.statusPageId}`;
  t.regex(await show(), /<p>stored<\/p>/);
  await sql.run`update incident_updates set body = '*other*' where status_page_id = ${page.statusPageId}`;
  t.regex(await show(), /<em>other<\/em>/);
});

test.serial(
  'a thread that is left with much memory ends when nothing is due, and the next page has another',
  async t => {
    const { sql, page, open } = await openPublisher(t);
    const heaps = [Number.POSITIVE_INFINITY, 1];
    const threads = () => process.report.getReport() as { workers: unknown[] };
    for (const idleHeapMax of heaps) {
      const publisher = open(undefined, idleHeapMax);
      const before = threads().workers.length;
      await requestPublication(sql, [page.statusPageId], Date.now() - 60_000);
      t.true(await isPublished(publisher));
      await until(() => threads().workers.length - before, idleHeapMax === 1 ? 0 : 1);
      await requestPublication(sql, [page.statusPageId], Date.now() - 60_000);
      t.true(await isPublished(publisher));
      await publisher[Symbol.asyncDispose]();
    }
  },
);
