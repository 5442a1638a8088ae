import { chmod, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAgentFolder } from './agent-folder.ts';
import { run } from './run.ts';

/** Debian's name of an architecture, and npm's. */
export const architectures = { amd64: 'x64', arm64: 'arm64' } as const;

/** An architecture by Debian's name. */
export type Architecture = keyof typeof architectures;

const debian = fileURLToPath(new URL('debian', import.meta.url));
const unit = fileURLToPath(new URL('../systemd/upquorum-agent.service', import.meta.url));

/**
 * Builds `upquorum-agent_VERSION_ARCHITECTURE.deb` in `target` and returns its path. `work` is an empty folder. It
 * brings its Node and all packages, installed here by npm from the lock file, also for the other architecture.
 */
export async function buildDeb(work: string, target: string, architecture: Architecture): Promise<string> {
  const library = join(work, 'usr/lib/upquorum-agent');
  const version = await writeAgentFolder(library);
  const cpu = architectures[architecture];
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--os=linux', `--cpu=${cpu}`];
  await run(library, 'npm', 'ci', '--omit=dev', ...flags);
  await mkdir(join(library, 'bin'));
  await rename(join(library, `node_modules/node-linux-${cpu}/bin/node`), join(library, 'bin/node'));
  await place(work, 'usr/share/doc/upquorum-agent/README.md', join(library, 'README.md'));
  for (const needless of [`node_modules/node-linux-${cpu}`, 'node_modules/.bin', 'deploy', 'README.md', 'LICENSE'])
    await rm(join(library, needless), { recursive: true });
  await place(work, 'usr/lib/systemd/system/upquorum-agent.service', unit);
  await place(work, 'etc/upquorum/agent.env', join(debian, 'agent.env'), 0o600);
  await place(work, 'usr/share/doc/upquorum-agent/copyright', fileURLToPath(new URL('../../LICENSE', import.meta.url)));
  for (const script of ['postinst', 'prerm', 'postrm'])
    await place(work, `DEBIAN/${script}`, join(debian, script), 0o755);
  await writeFile(join(work, 'DEBIAN/conffiles'), '/etc/upquorum/agent.env\n');
  const kibibytes = Number((await run(work, 'du', '-sk', '--exclude=DEBIAN', '.')).split('\t')[0]);
  await writeFile(join(work, 'DEBIAN/control'), control(version, architecture, kibibytes));
  const path = join(target, `upquorum-agent_${version}_${architecture}.deb`);
  await run(work, 'dpkg-deb', '--root-owner-group', '-Zxz', '-z1', '--build', '.', path);
  return path;
}

/** What the package manager knows about the package. Node needs the C library of Debian 10 or newer. */
export function control(version: string, architecture: Architecture, installedKibibytes: number): string {
  const fields = {
    Package: 'upquorum-agent',
    Version: version,
    Architecture: architecture,
    Maintainer: 'The Upquorum authors <packages@upquorum.example>',
    'Installed-Size': String(installedKibibytes),
    Depends: 'libc6 (>= 2.28), libstdc++6 (>= 8), libgcc-s1',
    Recommends: 'systemd, ca-certificates',
    Section: 'net',
    Priority: 'optional',
    Description:
      'agent of Upquorum, uptime monitoring by a quorum of regions\n' +
      ' Runs HTTP checks from one region and reports the results to a control plane\n' +
      ' over one outgoing WebSocket. It brings its own Node.',
  };
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}

async function place(work: string, path: string, source: string, mode = 0o644): Promise<void> {
  const file = join(work, path);
  await mkdir(join(file, '..'), { recursive: true });
  await cp(source, file);
  await chmod(file, mode);
}
