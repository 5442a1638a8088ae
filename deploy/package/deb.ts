import { chmod, cp, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Architecture, installAgent } from './install.ts';
import { run } from './run.ts';

const documentation = 'usr/share/doc/upquorum-agent';
const debian = fileURLToPath(new URL('debian', import.meta.url));
const unit = fileURLToPath(new URL('../systemd/upquorum-agent.service', import.meta.url));

/**
 * Builds `upquorum-agent_VERSION_ARCHITECTURE.deb` in `target` and returns its path. `work` is an empty folder. The
 * package brings its Node and everything that npm would install.
 */
export async function buildDeb(work: string, target: string, architecture: Architecture): Promise<string> {
  const library = join(work, 'usr/lib/upquorum-agent');
  const version = await installAgent(library, architecture);
  await mkdir(join(work, documentation), { recursive: true });
  await rename(join(library, 'README.md'), join(work, documentation, 'README.md'));
  await rename(join(library, 'LICENSE'), join(work, documentation, 'copyright'));
  await place(work, 'usr/lib/systemd/system/upquorum-agent.service', unit);
  await place(work, 'etc/upquorum/agent.env', join(debian, 'agent.env'), 0o600);
  for (const script of ['postinst', 'prerm', 'postrm'])
    await place(work, `DEBIAN/${script}`, join(debian, script), 0o755);
  await writeFile(join(work, 'DEBIAN/conffiles'), '/etc/upquorum/agent.env\n');
  const kibibytes = Number((await run(work, 'du', '-sk', '--exclude=DEBIAN', '.')).split('\t')[0]);
  await writeFile(join(work, 'DEBIAN/control'), control(version, architecture, kibibytes));
  const path = join(target, `upquorum-agent_${version}_${architecture}.deb`);
  await run(work, 'dpkg-deb', '--root-owner-group', '-Zxz', '-z1', '--build', '.', `${path}.new`);
  await rename(`${path}.new`, path);
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
    Recommends: 'systemd, ca-certificates, iputils-ping',
    Section: 'net',
    Priority: 'optional',
    Description:
      'agent of Upquorum, uptime monitoring by a quorum of regions\n' +
      ' Runs checks from one region and reports the results to a control plane\n' +
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
