import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Env } from '#shared/env.ts';
import type { Edition, SuiteArguments } from './suite/arguments.ts';
import { readArguments } from './suite/arguments.ts';
import { costsAreAsked, costTable } from './suite/costs.ts';
import { makeGroups, namedFiles } from './suite/groups.ts';
import { missingTools } from './suite/missing-tools.ts';
import type { Outcome } from './suite/outcome.ts';
import { dataParent, makeScratch } from './suite/scratch.ts';
import { composeFolder, openEdition } from './suite/server.ts';
import { runCheck, runTests } from './suite/stage.ts';
import { storageFiles } from './suite/storage-files.ts';

// `npm test`: all tests on the first storage edition, those that depend on storage on the others, too; beside them lint
// and types.

const top = fileURLToPath(new URL('..', import.meta.url));
const config = fileURLToPath(new URL('suite/ava.config.js', import.meta.url));
const failuresShownMax = 50;
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());

const outcomes = await runSuite(readArguments(process.argv.slice(2)), stop.signal);
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failures = outcomes.flatMap(outcome => outcome.failures);
for (const failure of failures.slice(0, failuresShownMax)) process.stdout.write(`\n── failed: ${failure}`);
if (failures.length > 0) process.exitCode = 1;
if (stop.signal.aborted) process.exitCode = 130;
process.stdout.write(`\n\n${passed} passed, ${failures.length} failed\n`);

async function runSuite(suite: SuiteArguments, signal: AbortSignal): Promise<Outcome[]> {
  const leftOut = await missingTools(composeFolder(process.env));
  for (const { reason } of leftOut) process.stdout.write(`\n── left out: ${reason}\n`);
  const wanted = process.env.REQUIRE_ALL_TESTS === '1' ? leftOut : [];
  const checks = suite.onlyAva ? [] : runChecks(signal);
  const missing = leftOut.flatMap(tool => tool.files);
  const tests = await runEditions(suite, missing, signal).catch(reportFailure);
  return [{ passed: 0, failures: wanted.map(({ reason }) => reason) }, ...(await Promise.all(checks)), ...tests];
}

function runChecks(signal: AbortSignal): Promise<Outcome>[] {
  // Several checkers of one program repeat each other's work, for half as much again of the processor's time.
  const checkTypes = (title: string, args: readonly string[] = []) =>
    runCheck({ title, program: 'typescript/bin/tsc', args: ['--checkers', '1', ...args], signal });
  const folders = ['control-plane/web/dashboard/app', 'control-plane/web/browser-client/client'];
  return [
    runCheck({ title: 'lint', program: '@biomejs/biome/bin/biome', args: ['check', '.'], signal }),
    checkTypes('types'),
    ...folders.map(folder => checkTypes(`types of ${folder}`, ['-p', folder])),
  ];
}

/** Starts the servers, and runs the tests of all editions at once. */
async function runEditions(suite: SuiteArguments, missing: readonly string[], signal: AbortSignal): Promise<Outcome[]> {
  await using opened = new AsyncDisposableStack();
  const { folder } = opened.use(await makeScratch());
  const data = opened.use(await makeScratch(await dataParent()));
  const servers = new Map<Edition, Env>();
  for (const edition of suite.editions ?? defaultEditions()) {
    const server = await openEdition(edition, join(data.folder, edition), process.env);
    if (typeof server === 'string') process.stdout.write(`\n── tests on ${edition}: skipped, ${server}\n`);
    else servers.set(edition, opened.use(server).variables);
  }
  const costs = join(folder, 'costs');
  const common = {
    ...(costsAreAsked ? { TEST_COSTS_LOG: costs } : {}),
    TEST_SERVERS: JSON.stringify(Object.fromEntries(servers)),
    TEST_COMPOSE_DIR: composeFolder(process.env),
    TEST_LEFT_OUT: missing.join(','),
    TMPDIR: folder,
    // Each process loads the whole program: types are stripped once, not seventy times.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };
  const run = (names: string, args: readonly string[], env: Env = {}) => {
    const ava = { title: `tests on ${names}`, program: 'ava/entrypoints/cli.js', args: ['--config', config, ...args] };
    return runTests({ ...ava, signal, env: { ...common, ...env } }, folder);
  };
  const outcomes: Outcome[] = [];
  const files = filesOf(suite, missing, [...servers.keys()]);
  if (files === null) {
    for (const [edition, variables] of servers) outcomes.push(await run(edition, suite.ava, variables));
  } else {
    const groups = opened.use(await makeGroups(top, files));
    // AVA takes no files for all files.
    if (groups.files.length > 0) outcomes.push(await run([...files.keys()].join(' and '), groups.files));
  }
  if (costsAreAsked) process.stdout.write(`\n── costs\n${costTable(costs)}`);
  return outcomes;
}

/** The files that each edition runs; null if AVA has to find them. */
function filesOf({ ava }: SuiteArguments, missing: readonly string[], editions: readonly Edition[]) {
  const named = namedFiles(top, ava);
  if (named === null) return null;
  // Tests that do not depend on storage run once.
  const again = ava.length > 0 ? named : storageFiles(top);
  const left = (files: readonly string[]) => files.filter(file => !missing.includes(file));
  return new Map(editions.map((edition, index) => [edition, left(index === 0 ? named : again)]));
}

function defaultEditions(): Edition[] {
  return process.env.TEST_DATABASE_URL ? ['plain', 'apache', 'community'] : ['plain', 'apache'];
}

function reportFailure(error: unknown): Outcome[] {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return [{ passed: 0, failures: ['the runner itself'] }];
}
