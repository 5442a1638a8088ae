import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { version } from '#agent/version.ts';
import { gatewaySecret, startGateway } from '../support/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'upquorum-main-'));
test.after.always(() => rmSync(folder, { recursive: true }));
const program = fileURLToPath(new URL('../../agent/main.ts', import.meta.url));

type AgentProcess = AsyncDisposable & {
  child: ChildProcess;
  /** Everything written to standard error. */
  output: () => string;
  /** Resolves with the exit code. */
  exited: Promise<number | null>;
};

/** Starts the agent as a program with its own folder; it is killed when disposed. */
function startProcess(name: string, env: Record<string, string>): AgentProcess {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, DATA_DIR: join(folder, name), ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', chunk => {
    output += chunk;
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    output: () => output,
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

test('without a secret the program exits with one line that names the variable', async t => {
  await using agent = startProcess('no-secret', {});
  t.is(await agent.exited, 1);
  t.regex(agent.output(), /^AGENT_SECRET is not set: [^\n]+\n$/);
});

test('an agent that cannot write its spool exits with one sentence', async t => {
  const file = join(folder, 'no-folder');
  writeFileSync(file, '');
  await using agent = startProcess('no-folder', {
    AGENT_SECRET: gatewaySecret,
    NODE_COMPILE_CACHE: join(folder, 'cache'),
  });
  t.is(await agent.exited, 1);
  const lines = agent.output().trim().split('\n');
  t.regex(lines.at(-1) ?? '', /^the spool in .*no-folder cannot be written: /);
  t.notRegex(agent.output(), /\n\s+at /);
});

for (const [what, env, stop] of [
  ['SIGTERM', {}, (child: ChildProcess) => child.kill('SIGTERM')],
  ['SIGINT', {}, (child: ChildProcess) => child.kill('SIGINT')],
  ['the end of stdin', { STOP_WITH_STDIN: '1' }, (child: ChildProcess) => child.stdin?.end()],
] as const)
  test(`the program connects with its version and stops gracefully on ${what}`, async t => {
    await using gateway = await startGateway();
    const connection = { CONTROL_PLANE_URL: gateway.url, AGENT_SECRET: gatewaySecret };
    await using agent = startProcess(what.replaceAll(' ', '-'), { ...connection, ...env });
    await gateway.until(() => gateway.of('hello').length === 1);
    t.is(gateway.of('hello')[0]?.version, version);
    stop(agent.child);
    t.is(await agent.exited, 0);
    t.regex(agent.output(), /"msg":"stopped"/);
    t.notRegex(agent.output(), new RegExp(gatewaySecret));
  });
