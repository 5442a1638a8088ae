import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { migrationNames } from '#control-plane/platform/db/schema/migration-files.ts';
import { startEmbedded } from '#deploy/embedded-postgres/embedded.ts';
import type { Row, RowRun } from '../bench/row.ts';
import { makeScratch } from '../suite/scratch.ts';
import { composeFolder } from '../suite/server.ts';
import { killMigration } from '../support/killed-migration.ts';
import { newDatabase } from '../support/new-database.ts';
import { schemaOf } from '../support/schema.ts';

/** R18: migrations of new databases are killed at random points; the next start completes each of them. */
export async function killMigrations({ full, opened, progress }: RowRun): Promise<Row> {
  const kills = full ? 50 : 5;
  const { folder } = opened.use(await makeScratch());
  const folders = { dataDir: join(folder, 'server'), composeDir: composeFolder(process.env) };
  const server = await startEmbedded({ ...folders, timescale: 'auto', progress, timescaleWorkers: 0 });
  opened.defer(() => server.stop());
  await using whole = await newDatabase(server);
  const { edition } = await migrate({ connectionString: whole.url, storage: 'auto', log: () => {} });
  const expected = await schemaOf(whole.url);
  const files = (await migrationNames()).length;
  const left: number[] = [];
  let different = 0;
  for (let kill = 0; kill < kills; kill++) {
    const killed = await killMigration(files, server);
    left.push(killed.left);
    if (!isDeepStrictEqual(killed.schema, expected)) different += 1;
    progress(`${kill + 1} of ${kills} killed, with ${killed.left} of ${files} migrations left`);
  }
  const interrupted = left.filter(count => count > 0).length;
  return {
    name: 'R18',
    figure: { kills, interrupted, different },
    target: { different: 0 },
    pass: different === 0 && interrupted > 0,
    versions: { edition },
    samples: { left },
  };
}
