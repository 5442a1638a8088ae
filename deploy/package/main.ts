import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeAgentFolder } from './agent-folder.ts';
import { buildDeb } from './deb.ts';
import { type Architecture, architectures, installAgent } from './install.ts';
import { run } from './run.ts';

// `npm run pack-agent -- [FOLDER] [--deb amd64] [--deb arm64]`: the agent as a tarball, and as Debian packages.
// With `--installed ARCHITECTURE` FOLDER becomes the installed agent instead, as images contain it.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { deb: { type: 'string', multiple: true, default: [] }, installed: { type: 'string' } },
});
const target = resolve(positionals[0] ?? 'artifacts');
const work = await mkdtemp(join(tmpdir(), 'upquorum-package-'));
try {
  if (values.installed === undefined) await pack(values.deb.map(requireArchitecture));
  else await installAgent(target, requireArchitecture(values.installed));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}

async function pack(debs: readonly Architecture[]): Promise<void> {
  await mkdir(target, { recursive: true });
  const folder = join(work, 'tarball');
  await writeAgentFolder(folder);
  const name = (await run(folder, 'npm', 'pack', '--silent', '--pack-destination', target)).trim();
  process.stdout.write(`${join(target, name)}\n`);
  for (const architecture of debs) {
    await mkdir(join(work, architecture));
    process.stdout.write(`${await buildDeb(join(work, architecture), target, architecture)}\n`);
  }
}

function requireArchitecture(name: string): Architecture {
  if (name in architectures) return name as Architecture;
  throw new Error(`the architecture must be one of ${Object.keys(architectures).join(', ')}, not ${name}`);
}
