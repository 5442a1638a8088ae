import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { type Part, readArchive, writeArchive } from '#control-plane/operations/admin/backup/archive.ts';
import { inOrderOfReferences, partName, tableOf } from '#control-plane/operations/admin/backup/manifest.ts';
import { sizeOf } from '#control-plane/operations/admin/backup/progress.ts';

const sizes: readonly [bytes: number, text: string][] = [
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1.0 KiB'],
  [1_500_000, '1.4 MiB'],
  [3 * 1024 ** 4, '3.0 TiB'],
  [5000 * 1024 ** 4, '5000.0 TiB'],
];

for (const [bytes, text] of sizes) test(`${bytes} bytes are shown as ${text}`, t => t.is(sizeOf(bytes), text));

test('an archive gives back what was written to it', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-archive-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const part = fc.record({
    name: fc.integer({ min: 1, max: 999_999 }).map(number => partName('a_table', number)),
    data: fc.uint8Array({ maxLength: 3000 }).map(bytes => Buffer.from(bytes)),
  });
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 5 }), async parts => {
      const file = join(folder, String(number++));
      async function* all(): AsyncGenerator<Part> {
        yield* parts;
      }
      await writeArchive(file, all());
      const read: Part[] = [];
      for await (const found of readArchive(file)) read.push(found);
      t.deepEqual(read, parts);
    }),
    { numRuns: 30 },
  );
});

async function* onePart(): AsyncGenerator<Part> {
  yield { name: partName('a_table', 1), data: Buffer.from('1\n') };
}

test('a second backup to the same name leaves the draft of the first alone', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-archive-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'backup');
  async function* whileAnotherStarts(): AsyncGenerator<Part> {
    await t.throwsAsync(writeArchive(file, onePart()), { message: /backup\.partial exists: / });
    yield* onePart();
  }
  t.true((await writeArchive(file, whileAnotherStarts())) > 0);
  t.deepEqual(await readdir(folder), ['backup']);
});

for (const code of ['EPERM', 'ENOTSUP', 'ENOSYS'])
  test(`an archive is written where links fail with ${code}, and replaces no file`, async t => {
    const folder = await mkdtemp(join(tmpdir(), 'upquorum-archive-'));
    t.teardown(() => rm(folder, { recursive: true }));
    const file = join(folder, 'backup');
    const noLink = () => Promise.reject(Object.assign(new Error('no links here'), { code }));
    const write = (parts: AsyncGenerator<Part>) => writeArchive(file, parts, noLink);
    t.true((await write(onePart())) > 0);
    t.deepEqual(await readdir(folder), ['backup']);
    async function* unread(): AsyncGenerator<Part> {
      t.fail('the name is checked before anything is read');
      yield* onePart();
    }
    await t.throwsAsync(write(unread()), { message: /exists: choose another name/ });

    await rm(file);
    async function* whileTaken(): AsyncGenerator<Part> {
      await writeFile(file, 'of somebody else');
      yield* onePart();
    }
    await t.throwsAsync(write(whileTaken()), { message: /exists: choose another name/ });
    t.is(await readFile(file, 'utf8'), 'of somebody else');
  });

test('a part belongs to the table it is named after', t => {
  t.is(tableOf(partName('check_results', 12)), 'check_results');
  for (const name of ['manifest.json', 'tables/../x/000001.copy', 'tables/x/copy']) t.is(tableOf(name), null);
});

test('a table comes after all that its rows refer to, and otherwise where it was', t => {
  const tables = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 8 });
  const graph = tables.chain(names => {
    const last = names.length - 1;
    const pair = fc.tuple(fc.integer({ min: 0, max: last }), fc.integer({ min: 0, max: last }));
    return fc.tuple(fc.constant(names), fc.array(pair, { maxLength: 12 }));
  });
  fc.assert(
    fc.property(graph, ([names, pairs]) => {
      // From a later name to an earlier one or itself: no cycle.
      const references = pairs.map(([one, two]) => ({
        from: names[Math.max(one, two)] ?? '',
        to: names[Math.min(one, two)] ?? '',
      }));
      const shuffled = [...names].sort().map(name => ({ name }));
      const ordered = inOrderOfReferences(shuffled, references).map(({ name }) => name);
      t.deepEqual([...ordered].sort(), [...names].sort());
      for (const { from, to } of references) if (from !== to) t.true(ordered.indexOf(to) < ordered.indexOf(from));
    }),
  );
  const circle = ['a', 'b'].map(name => ({ name }));
  t.throws(
    () =>
      inOrderOfReferences(circle, [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'a' },
      ]),
    { message: 'tables refer to each other: a, b' },
  );
});
