import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { etagOf, PageFiles, type PublishedDocument } from '#control-plane/publishing/status-pages/serve/page-files.ts';
import { createLog } from '#shared/log.ts';

const log = createLog({ name: 'test', level: 'silent' });
const text = 'a page '.repeat(500);

const documentOf = (path: string, changes: Partial<PublishedDocument> = {}): PublishedDocument => ({
  path,
  pageId: 'sp_1',
  contentType: 'text/html; charset=utf-8',
  etag: etagOf(text),
  publishedAt: 5,
  gzip: gzipSync(text),
  ...changes,
});

async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-pages-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const all = (files: PageFiles) => Array.fromAsync(files.readAll());
const pathsIn = async (files: PageFiles) => (await all(files)).map(({ path }) => path).toSorted();

test('a written document is read back as it was, also by the next process', async t => {
  const folder = await temporaryFolder(t);
  const paths = ['acme', 'acme/feed.rss', '../escape', 'a\nb', 'ü/"'];
  for (const path of paths) await new PageFiles(folder, log).write(documentOf(path));
  const read = await all(new PageFiles(folder, log));
  t.deepEqual(
    read.toSorted((left, right) => left.path.localeCompare(right.path)),
    paths.map(path => documentOf(path)).toSorted((left, right) => left.path.localeCompare(right.path)),
  );
  // No path leaves the folder, and no temporary file stays.
  t.true((await readdir(folder)).every(name => /^[0-9a-f]{40}\.page$/.test(name)));
});

test('a folder that does not exist is empty, and is created for its owner only', async t => {
  const folder = join(await temporaryFolder(t), 'pages');
  const files = new PageFiles(folder, log);
  t.deepEqual(await all(files), []);
  await files.write(documentOf('acme'));
  t.is((await stat(folder)).mode & 0o777, 0o700);
  t.deepEqual(await pathsIn(files), ['acme']);
});

test('writing replaces and removing removes, once or twice', async t => {
  const files = new PageFiles(await temporaryFolder(t), log);
  await files.write(documentOf('acme'));
  await files.write(documentOf('acme', { etag: etagOf('other'), gzip: gzipSync('other') }));
  await files.write(documentOf('other'));
  t.deepEqual(
    (await all(files)).map(({ path, etag }) => [path, etag]).toSorted(),
    [
      ['acme', etagOf('other')],
      ['other', etagOf(text)],
    ].toSorted(),
  );
  await files.remove('acme');
  await files.remove('acme');
  t.deepEqual(await pathsIn(files), ['other']);
});

test('damaged files are ignored', async t => {
  const folder = await temporaryFolder(t);
  const files = new PageFiles(folder, log);
  await files.write(documentOf('whole'));
  await files.write(documentOf('another text', { etag: etagOf('other') }));
  await files.write(documentOf('not gzip', { gzip: Buffer.from(text) }));
  await writeFile(join(folder, 'empty.page'), '');
  await writeFile(join(folder, 'no-json.page'), 'x\ny');
  await writeFile(join(folder, 'unfinished.page.new'), '{}');
  t.deepEqual(await pathsIn(files), ['whole']);
  for (const name of await readdir(folder)) await truncate(join(folder, name), 60);
  t.deepEqual(await all(files), []);
});

test('a disk that cannot be written is warned about once, and nothing is thrown', async t => {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, '');
  const warnings: string[] = [];
  const recording = { warn: (_: object, message: string) => warnings.push(message) };
  const files = new PageFiles(file, Object.assign(Object.create(log), recording));
  await files.write(documentOf('acme'));
  await files.write(documentOf('acme'));
  t.deepEqual(warnings, ['cannot write to PAGES_DIR: after a restart, pages are unavailable until the database is']);
});

test('an ETag is short, safe in a header, and differs with the bytes', t => {
  t.regex(etagOf(text), /^[\w-]{27}$/);
  t.is(etagOf(text), etagOf(Buffer.from(text)));
  t.not(etagOf(text), etagOf(`${text} `));
});
