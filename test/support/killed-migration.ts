import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { migrate } from '#control-plane/platform/db/schema/migrate.ts';
import { wait } from '#shared/wait.ts';
import { type DatabaseServer, newDatabase } from './new-database.ts';
import { schemaOf } from './schema.ts';

const program = fileURLToPath(new URL('migrate-program.ts', import.meta.url));
const afterMsMax = 25;

/** The schema of a database whose first migration was killed at a random point, and how many files were left then. */
export async function killMigration(
  files: number,
  server?: DatabaseServer,
): Promise<{ schema: Record<string, string[]>; left: number }> {
  await using database = await newDatabase(server);
  const killAt = Math.floor(Math.random() * files);
  const child = fork(program, [database.url], { stdio: 'ignore' });
  let lines = 0;
  const reached = new Promise<void>(resolve => {
    child.on('message', () => {
      if (lines++ === killAt) resolve();
    });
    child.once('exit', () => resolve());
  });
  const ended = new Promise(resolve => child.once('exit', resolve));
  await reached;
  await wait(Math.random() * afterMsMax);
  child.kill('SIGKILL');
  await ended;
  const { applied } = await migrate({ connectionString: database.url, storage: 'auto', log: () => {} });
  return { schema: await schemaOf(database.url), left: applied };
}
