import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Env } from '#shared/env.ts';

/** How a stage went; a stage that is not a test run counts as one failure when it fails. */
export type Tally = {
  passed: number;
  failed: number;
  /** What the stage said of its failures, to be told again at the end of the run. */
  report?: string;
};

const reportMax = 20_000;

type StageOptions = {
  title: string;
  program: string;
  args: readonly string[];
  signal: AbortSignal;
  env?: Env;
};

const modules = new URL('../../node_modules/', import.meta.url);

/** Runs a program of an installed package under this Node, shows its output, and gives the code and the text. */
async function runStage(options: StageOptions): Promise<{ code: number; output: string }> {
  const { title, program, args, signal, env } = options;
  process.stdout.write(`\n── ${title}\n`);
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, modules)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...color, ...env },
    signal,
    killSignal: 'SIGTERM',
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const code = await new Promise<number>(resolve => {
    child.once('close', ended => resolve(ended ?? 1)).once('error', () => resolve(1));
  });
  return { code, output: stripVTControlCharacters(output) };
}

/** A stage that only passes or fails: lint, types. */
export async function runCheck(options: StageOptions): Promise<Tally> {
  const { code } = await runStage(options);
  return { passed: 0, failed: code === 0 ? 0 : 1 };
}

/** A run of AVA, counted from its summary; a crash outside any test still counts as a failure. */
export async function runTests(options: StageOptions): Promise<Tally> {
  const { code, output } = await runStage(options);
  const { passed, failed: told } = readSummary(output);
  const failed = code !== 0 && told === 0 ? 1 : told;
  return failed === 0 ? { passed, failed } : { passed, failed, report: `${options.title}\n${failuresIn(output)}` };
}

/** The marked lines of what failed, and all that AVA says after its list: errors, crashes, tests that never ended. */
function failuresIn(output: string): string {
  const marked = output.split('\n').filter(line => /^ +[✘✖] /.test(line));
  const details = output.slice(Math.max(0, output.search(/^ {2}─/m)));
  return `${marked.join('\n')}\n${details.slice(0, reportMax)}`;
}

/**
 * Counts what AVA reported: a marked line for each passed test, since its summary leaves their number out when any
 * failed, and the summary's numbers for all that went wrong.
 */
export function readSummary(output: string): Tally {
  const wrong = /^ {2}(\d+) (?:(?:tests?|hooks?) failed|uncaught exceptions?|unhandled rejections?)\b/gm;
  return {
    passed: [...output.matchAll(/^ +[✔√] /gm)].length,
    failed: [...output.matchAll(wrong)].reduce((sum, [, count]) => sum + Number(count), 0),
  };
}
