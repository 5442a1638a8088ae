import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { deriveSecrets, secretFiles } from '#deploy/compose/secrets.ts';
import { top } from '../../repository/sources.ts';

const text = readFileSync(join(top, 'deploy/compose/compose.yaml'), 'utf8');
const [shared = '', specific = ''] = text.split(/^(?:services|networks):\n/m);
const services = [...specific.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n)+)/gm)].map(
  ([, name = '', block = '']) => [name, block] as const,
);
const blockOf = new Map([
  ...[...shared.matchAll(/^x-([\w-]+): &.*\n((?: {2}.*\n)+)/gm)].map(
    ([, name = '', block = '']) => [name, block] as const,
  ),
  ...services,
]);

/** The block with those that it is merged with, its own lines first. */
function wholeOf(block: string): string {
  const merged = /<<: \*([\w-]+)/.exec(block)?.[1];
  return merged === undefined ? block : block + wholeOf(blockOf.get(merged) ?? '');
}

function mountsOf(block: string) {
  return [...block.matchAll(/"(secrets-[\w-]+):([^:"]+)(:ro)?"/g)].map(match => ({
    volume: match[1] ?? '',
    folder: match[2] ?? '',
    isReadOnly: match[3] !== undefined,
  }));
}

test('every service is on a file system it cannot write, with the capabilities its image needs and no others', t => {
  const added: Record<string, string> = {};
  for (const [name, block] of services) {
    const whole = wholeOf(block);
    t.regex(whole, /^ {2}read_only: true$/m, name);
    t.regex(whole, /^ {2}cap_drop: \[ALL\]$/m, name);
    t.regex(whole, /^ {2}security_opt: \["no-new-privileges:true"\]$/m, name);
    t.notRegex(whole, /read_only: false|privileged: true|pid: |network_mode: host/, name);
    if (name !== 'setup') t.regex(whole, /^ +tmpfs: \["?\/tmp/m, name);
    added[name] = /cap_add: \[(.*)\]/.exec(whole)?.[1] ?? '';
  }
  const programs = ['control-plane-1', 'control-plane-2', 'agent-eu-west', 'agent-us-east', 'agent-ap-south'];
  t.deepEqual(added, {
    ...Object.fromEntries(programs.map(name => [name, ''])),
    setup: 'CHOWN, DAC_OVERRIDE',
    database: 'CHOWN, DAC_OVERRIDE, FOWNER, SETGID, SETUID',
    proxy: 'DAC_OVERRIDE, NET_BIND_SERVICE',
    mail: '',
  });
  t.regex(blockOf.get('database') ?? '', /tmpfs: \[\/tmp, \/var\/run\/postgresql\]/);
});

test('each reader has a volume with its own secrets, which only the service that makes them can write', t => {
  const readers: Record<string, string[]> = {};
  for (const [name, block] of services.filter(([name]) => name !== 'setup'))
    for (const { volume, isReadOnly } of mountsOf(block)) {
      t.true(isReadOnly, name);
      readers[volume] = [...(readers[volume] ?? []), name];
    }
  t.deepEqual(readers, {
    'secrets-database': ['database'],
    'secrets-control-plane': ['control-plane-1', 'control-plane-2'],
    'secrets-eu-west': ['agent-eu-west'],
    'secrets-us-east': ['agent-us-east'],
    'secrets-ap-south': ['agent-ap-south'],
  });
  t.notRegex(text, /\b(operator|agents):\//, "the volumes of 0.7.6, with everybody's secrets");
});

test('a reader finds every file that it names', t => {
  const written = mountsOf(blockOf.get('setup') ?? '');
  t.is(written.length, 5);
  const paths = Object.keys(secretFiles(deriveSecrets('a'.repeat(64)), 70));
  const script = readFileSync(join(top, 'deploy/compose/database.sh'), 'utf8');
  for (const [name, block] of services) {
    const [mount] = name === 'setup' ? [] : mountsOf(block);
    if (mount === undefined) continue;
    const made = written.find(({ volume }) => volume === mount.volume)?.folder.replace('/run/upquorum/', '');
    const named = [...(wholeOf(block) + (name === 'database' ? script : '')).matchAll(/\/run\/[a-z]+\/[\w.-]+/g)];
    t.true(named.length > 0, name);
    for (const [path] of named) t.true(paths.includes(path.replace(mount.folder, `${made}`)), `${name}: ${path}`);
  }
});

test('a database that may not read its password stops with the number to set', async t => {
  const script = join(top, 'deploy/compose/database.sh');
  const error = await t.throwsAsync(promisify(execFile)('sh', [script], { env: { PATH: process.env.PATH } }));
  t.regex(error?.message ?? '', new RegExp(`Set DATABASE_USER_ID=${process.getuid?.()} in .env`));
});
