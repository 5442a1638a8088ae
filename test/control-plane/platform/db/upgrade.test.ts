import test from 'ava';
import pg from 'pg';
import { type MigrationOptions, migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { migrationNames } from '#control-plane/platform/db/schema/migration-files.ts';
import { SchemaTooNewError } from '#control-plane/platform/db/schema/schema-state.ts';
import { CommitTimes } from '#control-plane/platform/http/commit-times.ts';
import { readinessOf } from '#control-plane/roles/storage.ts';
import { systemClock } from '#shared/clock.ts';
import { useDatabase } from '#test/support/database.ts';
import { killMigration } from '#test/support/killed-migration.ts';
import { newDatabase } from '#test/support/new-database.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { migrationsWith, schemaOf } from '#test/support/schema.ts';

const database = useDatabase(test);
const kills = 3;

function options(url: string, changes: Partial<MigrationOptions> = {}): MigrationOptions {
  return { connectionString: url, storage: 'auto', log: () => {}, ...changes };
}

test('an applied file that was edited is refused', async t => {
  await using edited = await migrationsWith((name, text) => (name.startsWith('0008') ? `${text}-- edited\n` : text));
  await t.throwsAsync(migrate(options(database(), { folder: edited.folder })), {
    message: /^migration 0008-incidents\.sql was changed after it was applied/,
  });
});

test('the version before runs on a newer schema, unless that is not for older programs', async t => {
  await using upgraded = await newDatabase();
  const keep = (_: string, text: string) => text;
  await using next = await migrationsWith(keep, { '9998-next.sql': 'create table next_things (id integer);\n' });
  await migrate(options(upgraded.url, { folder: next.folder }));
  const lines: string[] = [];
  const { applied } = await migrate(options(upgraded.url, { log: line => lines.push(line) }));
  t.is(applied, 0);
  t.deepEqual(lines, ['the database is from a newer version, on which this one can run: it has 9998-next.sql']);

  const pools = patientPools(upgraded.url);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => pools.end());
  const common = {
    pools,
    edition: 'plain',
    roles: ['front'],
    clock: systemClock,
    writers: new Map(),
    commits: new CommitTimes(),
    outlivesDatabase: false,
  } as const;
  t.like(await readinessOf(common)(), { ready: true, checks: { migrations: 'ok' } });

  const breaking = '--! not for older programs\nalter table next_things rename to things;\n';
  await using last = await migrationsWith(keep, {
    '9998-next.sql': 'create table next_things (id integer);\n',
    '9999-last.sql': breaking,
  });
  await migrate(options(upgraded.url, { folder: last.folder }));
  t.is((await migrate(options(upgraded.url, { folder: last.folder }))).applied, 0);
  await t.throwsAsync(migrate(options(upgraded.url)), { instanceOf: SchemaTooNewError, message: /9999-last\.sql/ });
  const { ready, checks } = await readinessOf(common)();
  t.false(ready);
  t.regex(String(checks.migrations), /^this version is too old for the database/);
});

test('a migration waits for the readers of a table only so long that others can go on, and is tried again', async t => {
  await using upgraded = await newDatabase();
  await migrate(options(upgraded.url));
  const reader = new pg.Client({ connectionString: upgraded.url });
  await reader.connect();
  await using opened = new AsyncDisposableStack();
  opened.defer(() => reader.end());
  await reader.query('begin; select id from projects');
  const change = { '9998-next.sql': 'alter table projects add column next integer;\n' };
  await using next = await migrationsWith((_, text) => text, change);
  const error = await t.throwsAsync(migrate(options(upgraded.url, { folder: next.folder })));
  t.like(error, { code: '55P03', message: 'migration 9998-next.sql failed: canceling statement due to lock timeout' });
  await reader.query('commit');
  t.is((await migrate(options(upgraded.url, { folder: next.folder }))).applied, 1);
});

test('a migration that is killed at any point is completed by the next start', async t => {
  const files = (await migrationNames()).length;
  const expected = await schemaOf(database());
  let interrupted = 0;
  for (let kill = 0; kill < kills; kill++) {
    const { schema, left } = await killMigration(files);
    if (left > 0) interrupted += 1;
    t.deepEqual(schema, expected);
  }
  t.true(interrupted > 0);
});

test('replicas that start together migrate once', async t => {
  await using fresh = await newDatabase();
  const starts = await Promise.all([1, 2, 3].map(() => migrate(options(fresh.url))));
  const files = (await migrationNames()).length;
  t.deepEqual(
    starts.map(({ applied }) => applied).sort((one, other) => one - other),
    [0, 0, files],
  );
});
