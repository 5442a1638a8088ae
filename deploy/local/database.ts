import { explainStart } from '#control-plane/platform/db/start-error.ts';
import { exitProcess } from '#shared/exit-process.ts';
import { readConfig } from './config.ts';
import { superviseDatabase } from './supervised-database.ts';

// `npm run database`: runs the embedded PostgreSQL of `npm start` alone until Ctrl-C or SIGTERM, to restore a backup
// into it, for instance. Its URL is the only line on standard output.

const say = (line: string) => void process.stderr.write(`${line}\n`);
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

const ended = new Promise<void>(resolve => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve());
});

try {
  const { dataDir, requireTimescale, storage } = readConfig({ ...process.env, DATABASE_URL: '' });
  const insists = requireTimescale || storage === 'apache';
  const timescale = storage === 'plain' ? 'off' : insists ? 'require' : 'auto';
  const database = await superviseDatabase({ dataDir, timescale, progress: say }, say);
  if (database.notice !== null) say(database.notice);
  say('PostgreSQL is running; press Ctrl-C to stop it');
  process.stdout.write(`${database.url}\n`);
  await ended;
  await database.stop();
  say('stopped');
  exitProcess(0);
} catch (error) {
  say(explainStart(error, process.env.LOG_LEVEL === 'debug'));
  exitProcess(1);
}
