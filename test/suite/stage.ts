import { spawn } from 'node:child_process';
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

/** The outcome of a run of AVA. `hung` are the files that were ended, with the number of their pending tests. */
export type TestTally = Tally & { hung: ReadonlyMap<string, number> };

const reportMax = 20_000;
const testSilenceMs = 8 * minuteMs;
const forever = 2 ** 31 - 1;

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
  const { passed, failed: reported } = readSummary(output);
  const hung = readHung(output);
  const failed = reported + hung.size || (code === 0 ? 0 : 1);
  return { passed, failed, hung, ...(failed === 0 ? {} : { report: `${options.title}\n${failuresIn(output)}` }) };
}

/** The marked lines of failed and hanging tests, and everything after AVA's list: errors and crashes. */
function failuresIn(output: string): string {
  const marked = output.split('\n').filter(line => /^ +(?:[✘✖◌] |\d+ tests were pending|Failed to exit)/.test(line));
  const details = output.slice(Math.max(0, output.search(/^ {2}─/m)));
  return `${marked.join('\n')}\n${details.slice(0, reportMax)}`;
}

/** The files that AVA ended because no test of any file made progress, with the number of their pending tests. */
export function readHung(output: string): ReadonlyMap<string, number> {
  const pending = output.matchAll(/^ *(\d+) tests? (?:was|were) pending in (\S+)$/gm);
  const open = output.matchAll(/^ *Failed to exit when running (\S+)$/gm);
  return new Map([
    ...[...open].map(([, file = '']) => [file, 0] as const),
    ...[...pending].map(([, count, file = '']) => [file, Number(count)] as const),
  ]);
}

/** The outcome of a run whose hanging files were run again, alone: what passes then is only remarked upon. */
export function settle(first: TestTally, again: TestTally): Tally {
  const pending = [...first.hung.values()].reduce((sum, count) => sum + count, 0);
  const failed = first.failed - first.hung.size + again.failed;
  const reports = [first.failed > first.hung.size ? first.report : undefined, again.report];
  const report = reports.filter(text => text !== undefined).join('\n');
  return {
    passed: first.passed + Math.max(0, pending - again.failed),
    failed,
    ...(failed === 0 ? {} : { report }),
    remarks: [...first.hung.keys()].map(file => `HUNG and was run again: ${file}`),
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
