import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { extract } from 'tar';
import * as client from '#deploy/node-client/source/index.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import rootManifest from '../../../package.json' with { type: 'json' };

const databaseOf = useDatabase(test);
const run = promisify(execFile);
const top = fileURLToPath(new URL('../../..', import.meta.url));
const { resolve } = createRequire(import.meta.url);

const program = `
import { createClient, pages, problemOf, ProblemError, type Schemas } from '@upquorum/client';
import { createEvents } from '@upquorum/client/events';

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient({ baseUrl, token });
const names: string[] = [];
const list = pages(cursor => {
  const query = { limit: 2, ...(cursor ? { cursor } : {}) };
  return client.GET('/v0/monitors', { params: { query } });
});
for await (const monitor of list) {
  const status: Schemas['Monitor']['status'] = monitor.status;
  names.push(monitor.name + ' ' + status);
}
// @ts-expect-error there is no such path
await client.GET('/v0/monitor');
const missing = await problemOf(await client.GET('/v0/monitors/{id}', { params: { path: { id: 'mon_1' } } }));
const raw = await problemOf(await fetch(baseUrl + '/v0/monitors'));
const stranger = createClient({ baseUrl, token: 'x' });
const refused = await pages(() => stranger.GET('/v0/monitors')).next().catch(error => error);
await using events = createEvents({ baseUrl, token });
events.track('started', { user: 'u1' });
console.log(JSON.stringify({
  names,
  codes: [missing?.problem?.code, raw?.problem?.code, refused instanceof ProblemError && refused.status],
  isStored: await events.flush(),
}));
`;

test('the package is typed, lists by page, names problems, and sends events', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  for (const name of ['a', 'b', 'c']) await world.post({ name });
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-client-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const { stdout } = await run('npm', ['run', '-s', 'pack-client', '--', '--json', '--pack-destination', folder], {
    cwd: top,
  });
  const [packed] = JSON.parse(stdout) as [
    { filename: string; version: string; size: number; files: { path: string }[] },
  ];
  t.is(packed.version, rootManifest.version);
  t.true(packed.size < 400_000, `${packed.size} bytes`);
  t.deepEqual(
    packed.files
      .map(({ path }) => path)
      .filter(path => !/^(package\.json|README\.md|LICENSE|dist\/[a-z]+(\.d\.ts|\.js))$/.test(path)),
    [],
  );
  t.deepEqual(Object.keys(client).sort(), ['ProblemError', 'createClient', 'pages', 'problemOf']);
  const installed = join(folder, 'node_modules/@upquorum/client');
  await mkdir(installed, { recursive: true });
  await extract({ file: join(folder, packed.filename), cwd: installed, strip: 1 });
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  t.deepEqual(manifest.dependencies, { 'openapi-fetch': rootManifest.dependencies['openapi-fetch'] });
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types'])
    await symlink(join(top, 'node_modules', name), join(folder, 'node_modules', name));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'program.ts'), program);
  const compiler = join(dirname(resolve('typescript/package.json')), 'bin/tsc');
  const flags = ['--strict', '--target', 'esnext', '--module', 'nodenext', '--types', 'node', '--outDir', '.'];
  await run(process.execPath, [compiler, ...flags, 'program.ts'], { cwd: folder }).catch(error => t.fail(error.stdout));
  const ran = await run(process.execPath, ['program.js', world.url, world.token], { cwd: folder });
  t.deepEqual(JSON.parse(ran.stdout), {
    names: ['c pending', 'b pending', 'a pending'],
    codes: ['not_found', 'missing_token', 401],
    isStored: true,
  });
});
