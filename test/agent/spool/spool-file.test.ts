import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { isCorrupt, openSpoolFile, refusalOf, SpoolFile, type SpoolRow } from '#agent/spool/spool-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'upquorum-spool-file-'));
test.after.always(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = () => join(folder, `${files++}.sqlite`);

function openFile(path = newPath()) {
  const file = new SpoolFile(path);
  return { file, path, [Symbol.dispose]: () => file.close() };
}

const row = (seq: number, createdMs = seq, text = '{}'): SpoolRow => ({ seq, createdMs, text });
const seqs = (file: SpoolFile) => file.readAfter(0, 1000).map(({ seq }) => seq);

test('an empty file has no rows, no bytes and no number', t => {
  using opened = openFile();
  const { file } = opened;
  t.deepEqual([file.count(), file.bytes(), file.lastSeq(), file.readAfter(0, 10)], [0, 0, 0, []]);
});

test('rows are read in order after a number, up to the limit', t => {
  using opened = openFile();
  opened.file.write(0, [row(1), row(2, 200, '{"a":"ü"}'), row(3)]);
  t.deepEqual(opened.file.readAfter(1, 1), [{ seq: 2, createdMs: 200, text: '{"a":"ü"}' }]);
  t.deepEqual(opened.file.readAfter(3, 10), []);
  t.is(opened.file.count(), 3);
  t.is(opened.file.bytes(), 2 + 10 + 2);
});

test('a write deletes and inserts together, and returns the deleted rows with their size', t => {
  using opened = openFile();
  opened.file.write(0, [row(1), row(2, 2, '{"a":1}'), row(3)]);
  t.deepEqual(
    opened.file.write(2, [row(4)]).map(({ seq, bytes }) => [seq, bytes]),
    [
      [1, 2],
      [2, 7],
    ],
  );
  t.deepEqual(seqs(opened.file), [3, 4]);
});

test('a write that fails changes nothing, and the next one succeeds', t => {
  using opened = openFile();
  opened.file.write(0, [row(1)]);
  t.throws(() => opened.file.write(1, [row(2), row(2)]), { message: /UNIQUE/ });
  t.deepEqual(seqs(opened.file), [1]);
  opened.file.write(1, [row(2)]);
  t.deepEqual(seqs(opened.file), [2]);
});

test('the last number is remembered when all rows are deleted, also after a restart', t => {
  const path = newPath();
  {
    using opened = openFile(path);
    opened.file.write(0, [row(41), row(42)]);
    opened.file.write(42, []);
  }
  using again = openFile(path);
  t.deepEqual([again.file.count(), again.file.lastSeq()], [0, 42]);
});

const stored = [row(1, 100, 'a'.repeat(10)), row(2, 200, 'b'.repeat(20)), row(3, 300, 'c'.repeat(30))];
const cuts: [bytes: number, createdBeforeMs: number, lastSeq: number][] = [
  [0, 0, 0],
  [1, 0, 1],
  [10, 0, 1],
  [11, 0, 2],
  [31, 0, 3],
  [1000, 0, 3],
  [0, 100, 0],
  [0, 101, 1],
  [0, 300, 2],
  [0, 301, 3],
  [1, 201, 2],
  [31, 101, 3],
];
for (const [bytes, createdBeforeMs, lastSeq] of cuts)
  test(`to free ${bytes} bytes and all before ${createdBeforeMs} the rows up to ${lastSeq} must go`, t => {
    using opened = openFile();
    opened.file.write(0, stored);
    t.is(opened.file.lastSeqToFree(bytes, createdBeforeMs), lastSeq);
  });

test('enough rows are freed, and not one more', t => {
  using opened = openFile();
  opened.file.write(0, stored);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 400 }), (bytes, createdBeforeMs) => {
      const lastSeq = opened.file.lastSeqToFree(bytes, createdBeforeMs);
      const freed = (seq: number) =>
        stored.filter(item => item.seq <= seq).reduce((sum, item) => sum + item.text.length, 0);
      const enough = (seq: number) =>
        freed(seq) >= bytes && stored.every(item => item.seq <= seq || item.createdMs >= createdBeforeMs);
      t.true(enough(lastSeq));
      t.false(lastSeq > 0 && enough(lastSeq - 1));
    }),
  );
});

test('a file in use by another agent is locked, not corrupt, and stays as it is', t => {
  using first = openFile();
  first.file.write(0, [row(1)]);
  const error = t.throws(() => new SpoolFile(first.path));
  t.regex(refusalOf(error, folder)?.message ?? '', /another agent/);
  t.false(isCorrupt(error));
  t.deepEqual(seqs(first.file), [1]);
});

for (const [what, error, corrupt, refusal] of [
  ['SQLITE_CORRUPT', { errcode: 11 }, true, /cannot be written: SQLITE_CORRUPT$/],
  ['SQLITE_CORRUPT_VTAB', { errcode: 267 }, true, /cannot be written/],
  ['SQLITE_NOTADB', { errcode: 26 }, true, /cannot be written/],
  ['SQLITE_BUSY', { errcode: 5 }, false, /^another agent is using the spool in /],
  ['SQLITE_CANTOPEN with room on the disk', { errcode: 14 }, false, /cannot be written/],
  ['EACCES', { code: 'EACCES' }, false, /cannot be written: EACCES$/],
  ['EROFS', { code: 'EROFS' }, false, /cannot be written/],
  ['SQLITE_FULL', { errcode: 13 }, false, null],
  ['SQLITE_IOERR_WRITE', { errcode: 778 }, false, null],
  ['ENOSPC', { code: 'ENOSPC' }, false, null],
  ['EIO', { code: 'EIO' }, false, null],
  ['an error without a code', {}, false, /cannot be written/],
] as const)
  test(`at its start an agent ${refusal === null ? 'goes on' : 'ends'} with ${what}`, t => {
    const thrown = Object.assign(new Error(what), error);
    t.is(isCorrupt(thrown), corrupt);
    const { message = '' } = refusalOf(thrown, folder) ?? {};
    t.true(refusal === null ? message === '' : refusal.test(message), message);
  });

test('what is no error at all is neither corrupt nor a fault of the disk', t => {
  for (const thrown of [undefined, null, 'text', { errcode: 11 }]) {
    t.false(isCorrupt(thrown));
    t.not(refusalOf(thrown, folder), null);
  }
});

test('opening creates the folder and the file', t => {
  const directory = join(folder, 'new', 'nested');
  const { file, movedTo } = openSpoolFile(directory);
  file.close();
  t.is(movedTo, null);
  t.deepEqual(readdirSync(directory), ['spool.sqlite']);
});

test('a corrupt file is renamed, with its contents, and an empty one takes over', t => {
  const directory = join(folder, 'corrupt');
  openSpoolFile(directory).file.close();
  writeFileSync(join(directory, 'spool.sqlite'), 'no database');
  const { file, movedTo } = openSpoolFile(directory);
  t.is(file.count(), 0);
  file.close();
  t.regex(movedTo ?? '', /spool\.sqlite\.damaged-\d+$/);
  t.is(readdirSync(directory).length, 2);
});

test('a file with damaged pages is found when it is opened, and replaced', t => {
  const directory = join(folder, 'pages');
  const path = join(directory, 'spool.sqlite');
  const { file } = openSpoolFile(directory);
  file.write(
    0,
    Array.from({ length: 500 }, (_, index) => row(index + 1, 0, 'x'.repeat(500))),
  );
  file.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, 10 * 4096, 20 * 4096);
  writeFileSync(path, bytes);
  const opened = openSpoolFile(directory);
  t.is(opened.file.count(), 0);
  opened.file.close();
  t.deepEqual(readFileSync(opened.movedTo ?? ''), bytes);
});
