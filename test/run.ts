import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Edition } from './suite/arguments.ts';
import { readArguments, type SuiteArguments } from './suite/arguments.ts';
import { costsAreAsked, costTable } from './suite/costs.ts';
import { makeGroups, namedFiles } from './suite/groups.ts';
import { type LeftOut, missingTools } from './suite/missing-tools.ts';
import { makeScratch } from './suite/scratch.ts';
import { composeFolder, openServer } from './suite/server.ts';
import { filesToRepeat, runCheck, runTests, settle, type Tally } from './suite/stage.ts';
import { storageFiles } from './suite/storage-files.ts';
import { createTemplate } from './suite/template.ts';

// `npm test`: lint, types, then all tests on the first storage edition, and those that depend on storage on the others.

const top = fileURLToPath(new URL('..', import.meta.url));
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());

const tallies = await runSuite(readArguments(process.argv.slice(2)), stop.signal);
const total = tallies.reduce(add, { passed: 0, failed: 0 });
for (const { report } of tallies) if (report !== undefined) process.stdout.write(`\n── failures: ${report}\n`);
for (const { remarks = [] } of tallies) for (const remark of remarks) process.stdout.write(`\n── ${remark}\n`);
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
    for (const folder of ['control-plane/web/dashboard/app', 'control-plane/web/browser-client/client'])
      done.push(await runCheck({ ...types, title: `types of ${folder}`, args: ['-p', folder] }));
  }
  const leftOut = await missingTools(composeFolder(process.env));
  for (const { reason } of leftOut) process.stdout.write(`\n── left out: ${reason}\n`);
  if (leftOut.length > 0 && process.env.REQUIRE_ALL_TESTS === '1') done.push({ passed: 0, failed: leftOut.length });
  for (const [index, edition] of (suite.editions ?? defaultEditions()).entries()) {
    if (signal.aborted) break;
    // Tests that do not depend on storage run once.
    const files = index === 0 || suite.ava.length > 0 ? suite.ava : storageFiles(top);
    done.push(await runEdition(edition, { files, leftOut, signal }).catch(reportFailure));
  }
  return done;
}

type Selection = { files: readonly string[]; leftOut: readonly LeftOut[]; signal: AbortSignal };

async function runEdition(edition: Edition, { files, leftOut, signal }: Selection): Promise<Tally> {
  const missing = leftOut.flatMap(tool => tool.files);
  const named = namedFiles(top, files)?.filter(file => !missing.includes(file));
  // AVA takes no files for all files.
  if (named?.length === 0) return { passed: 0, failed: 0 };
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
  const costs = join(folder, 'costs');
  const env = {
    ...(costsAreAsked ? { TEST_COSTS_LOG: costs } : {}),
    TEST_STORAGE: edition,
    TEST_DATABASE_ADMIN_URL: server.adminUrl,
    TEST_DATABASE_URL: server.url,
    TEST_DATABASE_TEMPLATE: template.name,
    TEST_COMPOSE_DIR: composeFolder(process.env),
    TEST_LEFT_OUT: leftOut.flatMap(tool => tool.files).join(','),
    TMPDIR: folder,
    // Each test file loads the whole program in its own thread: types are stripped once, not a hundred times.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };
  const config = fileURLToPath(new URL('suite/ava.config.js', import.meta.url));
  const run = (title: string, args: readonly string[]) =>
    runTests({ title, program: 'ava/entrypoints/cli.js', args: ['--config', config, ...args], signal, env });
  const groups = named === undefined ? { files } : opened.use(await makeGroups(top, named));
  // Awaited here: the server is disposed when this function returns.
  const first = await run(`tests on ${edition}`, groups.files);
  if (costsAreAsked) process.stdout.write(`\n── costs on ${edition}\n${costTable(costs)}`);
  const repeated = filesToRepeat(first);
  if (repeated.length === 0 || signal.aborted) return first;
  return settle(
    first,
    repeated,
    await run(`again on ${edition}, because they hung or failed: ${repeated.join(', ')}`, ['-c', '1', ...repeated]),
  );
}

function defaultEditions(): Edition[] {
  return process.env.TEST_DATABASE_URL ? ['plain', 'apache', 'community'] : ['plain', 'apache'];
}

function reportFailure(error: unknown): Tally {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return { passed: 0, failed: 1 };
}

function add(left: Tally, right: Tally): Tally {
  return { passed: left.passed + right.passed, failed: left.failed + right.failed };
}
