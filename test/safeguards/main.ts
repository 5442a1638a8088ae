import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Safeguard, safeguards } from './list.ts';

// `npm run safeguards -- [ROW …]`: removes each safeguard in turn, in a copy of the repository, and looks whether a
// test notices. Prints a line for each; the exit code is 1 if one was removed unnoticed.

const top = fileURLToPath(new URL('../..', import.meta.url));
const left = new Set(['node_modules', '.git', 'local']);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());

const rows = process.argv.slice(2);
const chosen = safeguards.filter(({ row }) => rows.length === 0 || rows.includes(row));
const copy = await mkdtemp(join(tmpdir(), 'upquorum-safeguards-'));
try {
  await cp(top, copy, { recursive: true, filter: from => !left.has(relative(top, from)) });
  await symlink(join(top, 'node_modules'), join(copy, 'node_modules'));
  let unnoticed = 0;
  for (const safeguard of chosen) {
    if (stop.signal.aborted) break;
    const startedMs = performance.now();
    const isNoticed = await tryWithout(safeguard);
    if (stop.signal.aborted) break;
    if (!isNoticed) unnoticed += 1;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    process.stdout.write(`${isNoticed ? 'noticed' : 'UNNOTICED'} ${safeguard.row} ${safeguard.name} (${seconds} s)\n`);
  }
  process.stdout.write(`${chosen.length} safeguards, ${unnoticed} removed unnoticed\n`);
  process.exitCode = stop.signal.aborted ? 130 : unnoticed > 0 || chosen.length === 0 ? 1 : 0;
} finally {
  await rm(copy, { recursive: true, force: true });
}

async function tryWithout({ file, text, instead, tests }: Safeguard): Promise<boolean> {
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  if (source.split(text).length !== 2) throw new Error(`${file} does not contain once: ${text}`);
  await writeFile(
    path,
    source.replace(text, () => instead),
  );
  try {
    return (await runTests(tests)) !== 0;
  } finally {
    await unlink(path);
    await writeFile(path, source);
  }
}

function runTests(tests: readonly string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const args = [join(copy, 'test/run.ts'), '--only-ava', '--storage=plain', ...tests];
    const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', signal: stop.signal });
    child.on('error', error => (stop.signal.aborted ? resolve(null) : reject(error)));
    child.on('exit', resolve);
  });
}
