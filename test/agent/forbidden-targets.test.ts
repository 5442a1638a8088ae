import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { forbiddenTargets } from './forbidden-targets.ts';

type Reached = { url: string; hits: number; code: string | null };
type Report = { allowed: Reached[]; forbidden: Reached[]; redirected: Reached[]; rebinding: Reached[] };

const script = fileURLToPath(new URL('everywhere.ts', import.meta.url));
// Routes of type local make every address an address of this namespace.
const setUp = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && (ip -6 route add local ::/0 dev lo || true)';

/** As root a network namespace alone; as a normal user inside a user namespace of one's own. */
function namespaceFlags(): string[] {
  const flags = process.getuid?.() === 0 ? ['--net'] : ['--net', '--user', '--map-root-user'];
  execFileSync('unshare', [...flags, 'true']);
  return flags;
}

test('where every address answers, the guard reaches the public ones and none of the others', async t => {
  t.timeout(60_000);
  const command = ['sh', '-c', `PATH=$PATH:/usr/sbin:/sbin; ${setUp} && exec "$0" "$1"`, process.execPath, script];
  const { stdout } = await promisify(execFile)('unshare', [...namespaceFlags(), ...command]);
  const report = JSON.parse(stdout) as Report;
  t.deepEqual(
    report.allowed.filter(one => one.hits !== 1),
    [],
    'controls must work',
  );
  t.is(report.forbidden.length, forbiddenTargets.length);
  t.deepEqual(
    report.forbidden.filter(one => one.hits !== 0 || one.code === null),
    [],
  );
  t.deepEqual(
    report.redirected.filter(one => one.hits !== 1 || one.code === null),
    [],
    'only the redirect itself is reached',
  );
  t.deepEqual(
    report.rebinding.map(one => [one.hits, one.code]),
    [
      [1, null],
      [0, 'blocked_address'],
    ],
  );
});
