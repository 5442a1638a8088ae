import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { minuteMs } from '#shared/duration.ts';
import type { Env } from '#shared/env.ts';

/** The outcome of a stage. A failed stage that is not a test run counts as one failure. */
export type Tally = {
  passed: number;
  failed: number;
  /** The failures as printed, to be repeated at the end of the run. */
  report?: string;
  /** What passed, but not as it should. */
  remarks?: readonly string[];
};

/** What went wrong in a test file: it was ended with tests pending, or tests of it failed. */
export type Trouble = { hung: boolean; pending: number; failed: number };

/** The outcome of a run of AVA, with the files that hung or failed. */
export type TestTally = Tally & { troubles: ReadonlyMap<string, Trouble> };

const reportMax = 20_000;
const testSilenceMs = 8 * minuteMs;
const forever = 2 ** 31 - 1;
/** On a busy machine a few of some 430 files miss a limit of time. */
const failedFilesMax = 10;
const noTrouble: Trouble = { hung: false, pending: 0, failed: 0 };

type StageOptions = {
  title: string;
  program: string;
  args: readonly string[];
  signal: AbortSignal;
  env?: Env;
  /** The program is killed after printing nothing for this time. */
  silenceMs?: number;
};

const modules = new URL('../../node_modules/', import.meta.url);

/** Runs a program of an installed package with this Node, prints its output, and returns it with the exit code. */
async function runStage(options: StageOptions): Promise<{ code: number; output: string }> {
  const { title, program, args, signal, env, silenceMs } = options;
  process.stdout.write(`\n── ${title}\n`);
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, modules)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...color, ...env },
    signal,
    killSignal: 'SIGTERM',
  });
  let output = '';
  const print = (text: string) => {
    output += text;
    process.stdout.write(text);
  };
  const silence = setTimeout(() => {
    print(`\n${title}: killed after ${(silenceMs ?? 0) / minuteMs} minutes without output\n`);
    child.kill('SIGKILL');
  }, silenceMs ?? forever);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    silence.refresh();
    print(text);
  });
  const code = await new Promise<number>(resolve => {
    child.once('close', ended => resolve(ended ?? 1)).once('error', () => resolve(1));
  });
  clearTimeout(silence);
  return { code, output: stripVTControlCharacters(output) };
}

/** Runs a stage that only passes or fails: lint, types. */
export async function runCheck(options: StageOptions): Promise<Tally> {
  const { code } = await runStage(options);
  return { passed: 0, failed: code === 0 ? 0 : 1 };
}

/**
 * Runs AVA and counts from its summary. A file that hangs is a failure, and so is a crash outside of any test. AVA ends
 * hanging files by itself; it is killed if that does not help.
 */
export async function runTests(options: StageOptions): Promise<TestTally> {
  const { code, output } = await runStage({ ...options, silenceMs: testSilenceMs });
  const tally = readRun(code, output);
  return { ...tally, ...(tally.failed === 0 ? {} : { report: `${options.title}\n${failuresIn(output)}` }) };
}

/** Without a summary AVA itself was ended: what failed before may pass when it is run again, the rest did not run. */
export function readRun(code: number, output: string): TestTally {
  const { passed, failed: reported } = readSummary(output);
  const troubles = readTroubles(output);
  const hung = [...troubles.values()].filter(trouble => trouble.hung).length;
  const noticed = [...troubles.values()].reduce((sum, trouble) => sum + trouble.failed, 0);
  return { passed, failed: reported + hung || (code === 0 ? 0 : noticed + 1), troubles };
}

/** The marked lines of failed and hanging tests, and everything after AVA's list: errors and crashes. */
function failuresIn(output: string): string {
  const marked = output.split('\n').filter(line => /^ +(?:[✘✖◌] |\d+ tests were pending|Failed to exit)/.test(line));
  const details = output.slice(Math.max(0, output.search(/^ {2}─/m)));
  return `${marked.join('\n')}\n${details.slice(0, reportMax)}`;
}

/** The files that AVA ended because no test of any file made progress, and those with failed tests. */
export function readTroubles(output: string): ReadonlyMap<string, Trouble> {
  const troubles = new Map<string, Trouble>();
  const add = (file: string, hung: boolean, pending: number, failed: number): void => {
    const known = troubles.get(file) ?? { hung: false, pending: 0, failed: 0 };
    troubles.set(file, {
      hung: known.hung || hung,
      pending: known.pending + pending,
      failed: known.failed + failed,
    });
  };
  for (const [, file = ''] of output.matchAll(/^ *Failed to exit when running (\S+)$/gm)) add(file, true, 0, 0);
  for (const [, count, file = ''] of output.matchAll(/^ *(\d+) tests? (?:was|were) pending in (\S+)$/gm))
    add(file, true, Number(count), 0);
  // AVA prints the line of a failed test twice, the second time with its error.
  const failed = new Set([...output.matchAll(/^ +[✘✖] \[fail\]: (.+)$/gm)].map(([, title = '']) => title));
  for (const title of failed) {
    const file = fileOf(title);
    if (file !== undefined) add(file, false, 0, 1);
  }
  return troubles;
}

/** AVA prints `folder › file › title`, after the name of a group if there are any; a title may hold `›` too. */
function fileOf(title: string): string | undefined {
  const parts = title.split(' › ');
  return parts
    .flatMap((_, start) => parts.slice(start).map((_, end) => parts.slice(start, start + end + 1).join('/')))
    .map(path => `test/${path}.test.ts`)
    .find(path => existsSync(new URL(`../../${path}`, import.meta.url)));
}

/** The files to run again, alone: those that hung, and a few that failed. Many failures are no accident. */
export function filesToRepeat({ troubles }: TestTally): string[] {
  const failedFiles = [...troubles.values()].filter(({ hung }) => !hung).length;
  return [...troubles].flatMap(([file, { hung }]) => (hung || failedFiles <= failedFilesMax ? file : []));
}

/** The outcome of a run of which some files were run again, alone: what passes then is only remarked upon. */
export function settle(first: TestTally, repeated: readonly string[], again: TestTally): Tally {
  const troubles = repeated.map(file => [file, first.troubles.get(file) ?? noTrouble] as const);
  const sum = (read: (trouble: Trouble) => number) => troubles.reduce((total, [, trouble]) => total + read(trouble), 0);
  const settled = sum(({ hung, failed }) => failed + (hung ? 1 : 0));
  const others = first.failed - settled;
  const failed = others + again.failed;
  const report = [others > 0 ? first.report : undefined, again.report].filter(text => text !== undefined).join('\n');
  return {
    passed: first.passed + Math.max(0, sum(({ pending, failed }) => pending + failed) - again.failed),
    failed,
    ...(failed === 0 ? {} : { report }),
    remarks: troubles.map(([file, { hung }]) => `${hung ? 'HUNG' : 'FAILED'} and was run again: ${file}`),
  };
}

/**
 * Counts AVA's report: marked lines for passed tests, because its summary omits their number when any test failed, and
 * the summary's own numbers for failures.
 */
export function readSummary(output: string): Tally {
  const wrong = /^ {2}(\d+) (?:(?:tests?|hooks?) failed|uncaught exceptions?|unhandled rejections?)\b/gm;
  return {
    passed: [...output.matchAll(/^ +[✔√] /gm)].length,
    failed: [...output.matchAll(wrong)].reduce((sum, [, count]) => sum + Number(count), 0),
  };
}
