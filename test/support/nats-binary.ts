import { chmod, copyFile, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openAptArea } from '#deploy/embedded-postgres/apt-area.ts';
import { runCommand } from '#deploy/embedded-postgres/command.ts';

const version = '2.10.27';

/**
 * The path of Debian 13's nats-server, a static program that runs on any Linux. It is downloaded once by apt, which
 * checks its signature, and kept in `folder`.
 */
export async function natsBinary(folder: string): Promise<string> {
  const kept = join(folder, `nats-server-${version}`);
  if (await exists(kept)) return kept;
  await mkdir(folder, { recursive: true });
  const draft = await mkdtemp(join(folder, '.nats-'));
  try {
    const area = await openAptArea(draft);
    const unpacked = join(draft, 'unpacked');
    await runCommand('dpkg-deb', ['-x', await area.download('nats-server'), unpacked]);
    const program = join(draft, 'nats-server');
    await copyFile(join(unpacked, 'usr/sbin/nats-server'), program);
    await chmod(program, 0o755);
    const said = await runCommand(program, ['--version']);
    if (!said.includes(`v${version}`)) throw new Error(`expected nats-server ${version}, got ${said.trim()}`);
    await rename(program, kept);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return kept;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
