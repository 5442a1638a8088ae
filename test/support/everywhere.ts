import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// Routes of type local make every address an address of this namespace.
const setUp = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && (ip -6 route add local ::/0 dev lo || true)';

/** Runs a script in a network namespace where every address is this host, and gives back the JSON it prints. */
export async function runEverywhere<Report>(script: string): Promise<Report> {
  const { stdout } = await promisify(execFile)('unshare', inNamespace('exec "$0" "$1"', process.execPath, script));
  return JSON.parse(stdout) as Report;
}

/** A command that succeeds where such a namespace can be made. */
export function namespaceCheck(): [program: string, args: string[]] {
  return ['unshare', inNamespace('true')];
}

/** As root a network namespace alone; as a normal user inside a user namespace of one's own. */
function inNamespace(command: string, ...parameters: string[]): string[] {
  const flags = process.getuid?.() === 0 ? ['--net'] : ['--net', '--user', '--map-root-user'];
  return [...flags, 'sh', '-c', `PATH=$PATH:/usr/sbin:/sbin; ${setUp} && ${command}`, ...parameters];
}
