import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Edition } from './suite/arguments.ts';
import { readArguments, type SuiteArguments } from './suite/arguments.ts';
import { makeScratch } from './suite/scratch.ts';
import { composeFolder, openServer } from './suite/server.ts';
import { runCheck, runTests, type Tally } from './suite/stage.ts';
import { storageFiles } from './suite/storage-files.ts';
import { createTemplate } from './suite/template.ts';

// `npm test`: lint, types, then the suite: all of it on the first edition of storage, and what depends on storage on each.

const top = fileURLToPath(new URL('..', import.meta.url));
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());

const tallies = await runSuite(readArguments(process.argv.slice(2)), stop.signal);
const total = tallies.reduce(add, { passed: 0, failed: 0 });
for (const { report } of tallies) if (report !== undefined) process.stdout.write(`\n── failures: ${report}\n`);
if (total.failed > 0) process.exitCode = 1;
if (stop.signal.aborted) process.exitCode = 130;
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);

async function runSuite(suite: SuiteArguments, signal: AbortSignal): Promise<Tally[]> {
  const done: Tally[] = [];
  if (!suite.onlyAva) {
    const lint = { title: 'lint', program: '@biomejs/biome/bin/biome', args: ['check', '.'], signal };
    done.push(await runCheck(lint));
    const types = { program: 'typescript/bin/tsc', signal };
    done.push(await runCheck({ ...types, title: 'types', args: [] }));
    done.push(await runCheck({ ...types, title: 'types in the browser', args: ['-p', 'control-plane/dashboard/app'] }));
  }
  for (const [place, edition] of (suite.editions ?? defaultEditions()).entries()) {
    if (signal.aborted) break;
    // What has nothing to do with storage runs once.
    const files = place === 0 || suite.ava.length > 0 ? suite.ava : storageFiles(top);
    done.push(await runEdition(edition, files, signal).catch(reportFailure));
  }
  return done;
}

async function runEdition(edition: Edition, args: readonly string[], signal: AbortSignal): Promise<Tally> {
  await using opened = new AsyncDisposableStack();
  const { folder } = opened.use(await makeScratch());
  const server = await openServer(edition, folder, process.env);
  if (typeof server === 'string') {
    process.stdout.write(`\n── tests on ${edition}: skipped, ${server}\n`);
    return { passed: 0, failed: 0 };
  }
  opened.use(server);
  const template = await createTemplate(server);
  opened.defer(() => template.drop());
  const env = {
    TEST_STORAGE: edition,
    TEST_DATABASE_ADMIN_URL: server.adminUrl,
    TEST_DATABASE_URL: server.url,
    TEST_DATABASE_TEMPLATE: template.name,
    TEST_COMPOSE_DIR: composeFolder(process.env),
    TMPDIR: folder,
    // Each file has a thread that loads the whole program: types are stripped once, not a hundred times.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };
  const config = fileURLToPath(new URL('suite/ava.config.js', import.meta.url));
  const program = 'ava/entrypoints/cli.js';
  // Awaited here: the server is disposed when this function returns.
  return await runTests({ title: `tests on ${edition}`, program, args: ['--config', config, ...args], signal, env });
}

function defaultEditions(): Edition[] {
  return process.env.TEST_COMMUNITY_URL ? ['plain', 'apache', 'community'] : ['plain', 'apache'];
}

function reportFailure(error: unknown): Tally {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return { passed: 0, failed: 1 };
}

function add(left: Tally, right: Tally): Tally {
  return { passed: left.passed + right.passed, failed: left.failed + right.failed };
}
