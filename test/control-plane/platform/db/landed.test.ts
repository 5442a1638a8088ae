import { readFileSync } from 'node:fs';
import test from 'ava';
import { migrationsFolder, readMigrations } from '#control-plane/platform/db/schema/migration-files.ts';

const list = readFileSync(new URL('landed.txt', migrationsFolder), 'utf8');
const landed = new Map(
  list
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split('  ') as [checksum: string, name: string])
    .map(([checksum, name]) => [name, checksum]),
);

test('a landed migration is never edited or removed, and a new one is listed with its checksum', async t => {
  const files = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]));
  const remedy = 'write a new migration instead; a new one is added by: sha256sum FILE >> landed.txt';
  t.deepEqual(files, landed, remedy);
});

/** What an older program, which still runs or was started again, may not survive. */
const breaking = /\b(drop (table|column|function|view)|rename (to|column|constraint)|set not null|type \w+ using)\b/i;
/** Programs before it know nothing of later migrations: they end. */
const firstOfContract = '0055-repairs.sql';

test('a migration that takes away what older programs use is marked as not for them', async t => {
  const later = (await readMigrations()).filter(({ name }) => name > firstOfContract);
  const withoutComments = (text: string) => text.replace(/^\s*--.*$/gm, '');
  t.deepEqual(
    later
      .filter(({ text, breaking: marked }) => breaking.test(withoutComments(text)) && !marked)
      .map(({ name }) => name),
    [],
    'add the line "--! not for older programs", or change the schema in two versions: first add, later remove',
  );
});
