import { readFileSync } from 'node:fs';
import test from 'ava';
import { resources } from '#control-plane/platform/project-limits/quota.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { boundsOf, ofNoProject } from '#test/support/storage-bounds.ts';

const databaseOf = useDatabase(test);
const bounds = boundsOf(readFileSync('docs/hardening.md', 'utf8'));

test('every table of a project, or that hangs on one, has its bound and its end in docs/hardening.md', async t => {
  const tables = await withSql(
    databaseOf(),
    sql =>
      sql.rows<{ name: string; of_project: boolean }>`
      with recursive tables as (
        select c.oid, c.relname::text as name
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      ), owned as (
        select t.oid
        from tables t
        join pg_attribute a on a.attrelid = t.oid and a.attname in ('project_id', 'monitor_id') and not a.attisdropped
        union
        select k.conrelid
        from owned o
        join pg_constraint k on k.confrelid = o.oid and k.contype = 'f'
      )
      select name, exists (select from owned where owned.oid = tables.oid) or name = 'projects' as of_project
      from tables
      order by name`,
  );
  const named = bounds.flatMap(bound => bound.tables);
  t.deepEqual(
    named.toSorted(),
    tables.flatMap(({ name, of_project }) => (of_project ? [name] : [])),
    'each once',
  );
  t.deepEqual(
    ofNoProject(readFileSync('docs/hardening.md', 'utf8')),
    tables.flatMap(({ name, of_project }) => (of_project ? [] : [name])),
  );
});

test('each bound has a number of rows, a size of them and an end', t => {
  for (const { tables, rows, bytesMax, deleted } of bounds) {
    t.true(rows.length > 2 && deleted.length > 2, tables.join());
    t.true(bytesMax >= 1024, `${tables}: ${bytesMax}`);
  }
});

test('every quota bounds a table', t => {
  const text = bounds.map(bound => bound.rows).join('\n');
  t.deepEqual(
    resources.filter(resource => !text.includes(`\`${resource}\``)),
    [],
  );
});
