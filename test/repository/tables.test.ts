import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { sourcesOf, top } from './sources.ts';
import { wingOf, wingsOfThePicture } from './wings.ts';

// A table has one owner: the wing that inserts into it. Nobody else writes it, and only wings that may import from the
// owner read it.

const migrations = join(top, 'control-plane/platform/db/migrations');

const { tables, uses } = readTables();

test('each table is written by one wing', t => {
  const writers = Map.groupBy(
    uses.filter(use => use.writes),
    use => use.table,
  );
  const shared = [...writers].flatMap(([table, found]) => {
    const wings = new Set(found.map(use => use.wing));
    return wings.size > 1 ? [`${table}: ${found.map(({ path }) => path).join(', ')}`] : [];
  });
  t.deepEqual(shared, []);
  t.true(tables.size > 60);
});

test('a table is read by its owner and by wings that may import from it', t => {
  const owners = new Map(uses.filter(use => use.writes).map(use => [use.table, use.wing]));
  const before = wingsOfThePicture();
  const ahead = uses.filter(({ table, wing }) => {
    const owner = owners.get(table);
    return owner !== undefined && owner !== wing && before.get(wing)?.has(owner) !== true;
  });
  t.deepEqual(
    ahead.map(({ path, table }) => `${path} reads ${table}`),
    [],
  );
});

type Use = { table: string; wing: string; path: string; writes: boolean };

/** The tables of the schema, and each statement that names one after a keyword of SQL. */
function readTables(): { tables: Set<string>; uses: Use[] } {
  const tables = new Set<string>();
  for (const name of readdirSync(migrations).sort()) {
    const text = readFileSync(join(migrations, name), 'utf8');
    for (const [, created] of text.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)/gi))
      tables.add(created ?? '');
    for (const [, dropped] of text.matchAll(/drop table (?:if exists )?(\w+)/gi)) tables.delete(dropped ?? '');
    for (const [, from, to] of text.matchAll(/alter table (?:if exists )?(\w+) rename to (\w+)/gi)) {
      tables.delete(from ?? '');
      tables.add(to ?? '');
    }
  }
  const uses = sourcesOf('control-plane').flatMap(({ path, text }) => {
    const wing = wingOf(path);
    if (wing === null) return [];
    return [...text.matchAll(/\b(insert into|update|delete from|from|join)\s+(?:only\s+)?(\w+)/g)]
      .filter(([, , table]) => tables.has(table ?? ''))
      .map(([, verb, table]) => ({ table: table ?? '', wing, path, writes: !/^(from|join)$/.test(verb ?? '') }));
  });
  return { tables, uses };
}
