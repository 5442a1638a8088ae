import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { dayMs, secondMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import { migrateLocked, offerExtension } from '../../../platform/db/schema/migrate.ts';
import { migrationNames } from '../../../platform/db/schema/migration-files.ts';
import { withSchemaLock } from '../../../platform/db/schema/schema-lock.ts';
import { openSeries } from '../../../platform/db/series/series.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import { createKeyring } from '../../../platform/secrets/keyring.ts';
import { type Options, requireOption } from '../options.ts';
import { madeEntry } from '../record.ts';
import type { AdminServices, CommandServices } from '../services.ts';
import { type Part, readArchive } from './archive.ts';
import { setSequences, withoutRowSecurity, writeRows } from './copy-store.ts';
import { dropEverything, dropOurs } from './drop-store.ts';
import { closedColumns } from './key-store.ts';
import { type Manifest, tableOf } from './manifest.ts';
import { everySecond } from './progress.ts';
import { describeContent, finishRestore, listOtherSessions, markUnfinished } from './target-store.ts';
import { type VerifiedBackup, verifyBackup } from './verify.ts';

const heldReason = 'queued when the backup was taken: it may have been sent since';
const noLog = () => {};
const sessionWaitsMax = 6;

/** Replaces the whole content of an empty database, or with --replace of any, with that of a backup. */
export async function restore(options: Options, services: CommandServices): Promise<unknown> {
  const {
    config: { databaseUrl },
    progress,
  } = services;
  const file = requireOption(options, 'file');
  const startedAt = performance.now();
  const say = everySecond(progress);
  const backup = await verifyBackup(file, say);
  await requireReadable(backup.manifest, options, services);
  await offerExtension(databaseUrl, 'auto', progress);
  const edition = await withSchemaLock(databaseUrl, async client => {
    await requireAlone(client);
    await requireEmpty(client, options);
    // Until the data is committed, no control plane starts on what is there.
    await client.query('begin');
    await (options.replace === undefined ? dropOurs(client) : dropEverything(client));
    await markUnfinished(client);
    await client.query('commit');
    const made = await migrateLocked(
      client,
      { storage: 'auto', log: noLog },
      { only: new Set(backup.manifest.migrations), restoring: true },
    );
    await makeSpans(backup.manifest, services, made.edition);
    await copyIn(client, file, backup, say);
    // The restore ends on the schema of this version: that of the backup may have nothing to pause sending with.
    await migrateLocked(client, { storage: 'auto', log: progress }, { only: null, restoring: true });
    await client.query('begin');
    const reason = `restored from a backup of ${backup.manifest.taken_at}`;
    await finishRestore(client, createKeyring(services.config.secretsKeys), { reason, heldReason });
    await client.query('commit');
    await client.query('analyze');
    return made.edition;
  });
  const sums = Object.values(backup.end.tables);
  const restored = {
    taken_at: backup.manifest.taken_at,
    edition,
    tables: sums.length,
    rows: sums.reduce((sum, { rows }) => sum + rows, 0),
  };
  await services.record(null, madeEntry('installation.restored', 'installation', null, restored));
  return {
    file,
    ...restored,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    sending: 'Emails, webhooks and Slack messages wait until `npm run admin -- sending resume`.',
  };
}

/** Whether this version knows the schema of the backup, and the keys at hand open its secrets. */
async function requireReadable(
  manifest: Manifest,
  options: Options,
  { config: { secretsKeys } }: AdminServices,
): Promise<void> {
  const ours = new Set(await migrationNames());
  const unknown = manifest.migrations.find(name => !ours.has(name));
  if (unknown !== undefined)
    throw new Error(`version ${manifest.version} made this backup (${unknown}): restore it with that version`);
  if (options['without-keys'] !== undefined) return;
  const closed = closedColumns(manifest.keys, createKeyring(secretsKeys));
  if (closed.length === 0) return;
  throw new Error(
    `SECRETS_KEYS cannot open secrets of this backup, ${closed.join(', ')}: set those of its installation (with npm ` +
      'start they are in secrets.json), or add --without-keys and lose header values, addresses and tokens of Slack',
  );
}

/** Sessions of a program that was just stopped are gone within a moment. */
async function requireAlone(client: pg.ClientBase): Promise<void> {
  let others = await listOtherSessions(client);
  for (let waits = 0; others.length > 0 && waits < sessionWaitsMax; waits++) {
    await wait(secondMs / 2);
    others = await listOtherSessions(client);
  }
  const first = others[0];
  if (first === undefined) return;
  throw new Error(
    `${others.length} sessions use this database, such as "${first.name}" from ${first.address} (process ` +
      `${first.pid} of the server): stop all control planes first`,
  );
}

async function requireEmpty(client: pg.ClientBase, options: Options): Promise<void> {
  if (options.replace !== undefined) return;
  const { table, configured } = await describeContent(client);
  if (table === null || configured === 0) return;
  const content =
    configured === null ? `tables such as "${table}"` : `projects, agents or regions (${configured} in total)`;
  throw new Error(
    `the database has ${content}: restore into an empty one, or add --replace to delete all that is in it`,
  );
}

/** Partitions for all rows that will come. */
async function makeSpans(
  { series }: Manifest,
  { pool }: AdminServices,
  edition: Parameters<typeof openSeries>[2],
): Promise<void> {
  const store = await openSeries(pool, sqlOf(pool), edition);
  for (const { name, from, to } of series) {
    const [start, end] = [Date.parse(from), Date.parse(to)];
    const days = Array.from({ length: Math.ceil((end - start) / dayMs) + 1 }, (_, day) => start + day * dayMs);
    await store.ensure(name, [...days, end]);
  }
}

/** All rows, in one transaction: a restore that fails leaves none. */
async function copyIn(
  client: pg.Client,
  file: string,
  { manifest, end }: VerifiedBackup,
  say: (line: string) => void,
): Promise<void> {
  const parts = readArchive(file);
  try {
    let part = await nextRows(parts);
    await client.query('begin');
    await withoutRowSecurity(client, async () => {
      for (const [index, table] of manifest.tables.entries()) {
        async function* rowsOfTable(): AsyncGenerator<Buffer> {
          while (part !== null && tableOf(part.name) === table.name) {
            say(`restoring ${table.name}, table ${index + 1} of ${manifest.tables.length}`);
            yield part.data;
            part = await nextRows(parts);
          }
        }
        const writing = writeRows(client, table);
        await pipeline(Readable.from(rowsOfTable(), { objectMode: false }), writing);
        const expected = end.tables[table.name]?.rows ?? 0;
        if (writing.rowCount !== expected)
          throw new Error(`${table.name} has ${writing.rowCount} rows instead of ${expected}: restore it again`);
      }
    });
    await setSequences(client, manifest.sequences);
    await client.query('commit');
  } finally {
    await parts.return(undefined);
  }
}

async function nextRows(parts: AsyncGenerator<Part>): Promise<Part | null> {
  for (;;) {
    const next = await parts.next();
    if (next.done === true) return null;
    if (tableOf(next.value.name) !== null) return next.value;
  }
}
