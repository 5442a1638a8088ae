import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minuteMs } from '#shared/duration.ts';
import type { Env } from '#shared/env.ts';
import type { Outcome } from './outcome.ts';

const testSilenceMs = 8 * minuteMs;
const forever = 2 ** 31 - 1;

/** A program of an installed package, by its path below node_modules. */
type Stage = { title: string; program: string; args: readonly string[]; signal: AbortSignal; env?: Env };

const modules = new URL('../../node_modules/', import.meta.url);

/** Runs a stage that only passes or fails: lint, types. What it says is printed when it has ended. */
export async function runCheck(stage: Stage): Promise<Outcome> {
  let output = '';
  const code = await runProgram(stage, text => {
    output += text;
  });
  process.stdout.write(`\n── ${stage.title}\n${output}`);
  return { passed: 0, failures: code === 0 ? [] : [stage.title] };
}

/** Runs AVA. It ends files that hang by itself, and is killed if that does not help. `folder` is for its outcome. */
export async function runTests(stage: Stage, folder: string): Promise<Outcome> {
  process.stdout.write(`\n── ${stage.title}\n`);
  const path = join(folder, 'outcome.json');
  const env = { ...stage.env, TEST_OUTCOME: path };
  const code = await runProgram({ ...stage, env }, text => process.stdout.write(text), testSilenceMs);
  const outcome = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Outcome) : null;
  return judgeRun(stage.title, code, outcome);
}

/** A run fails with its tests, if AVA says so by its code alone, and if it was ended before it could say anything. */
export function judgeRun(title: string, code: number, outcome: Outcome | null): Outcome {
  const { passed, failures } = outcome ?? { passed: 0, failures: [] };
  const isExplained = failures.length > 0 || (code === 0 && outcome !== null);
  return { passed, failures: isExplained ? failures : [`${title}: ended with code ${code}`] };
}

/** Runs a program with this Node, and kills it when it has said nothing for too long. Returns its exit code. */
async function runProgram(
  { title, program, args, signal, env }: Stage,
  hear: (text: string) => void,
  silenceMs = forever,
): Promise<number> {
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, modules)), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...color, ...env },
    signal,
    killSignal: 'SIGTERM',
  });
  const silence = setTimeout(() => {
    hear(`\n${title}: killed after ${silenceMs / minuteMs} minutes without output\n`);
    child.kill('SIGKILL');
  }, silenceMs);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      silence.refresh();
      hear(text);
    });
  const { code, by } = await new Promise<{ code: number | null; by: string | null }>(resolve => {
    child.once('close', (code, by) => resolve({ code, by })).once('error', () => resolve({ code: 1, by: null }));
  });
  clearTimeout(silence);
  if (by !== null) hear(`\n${title}: ended by ${by}\n`);
  return code ?? 1;
}
