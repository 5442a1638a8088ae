import test from 'ava';
import { type Source, sourcesOf } from './sources.ts';
import { folderAt, reach, wingOf, wingsOfThePicture } from './wings.ts';

const programs: Record<string, readonly string[]> = {
  shared: ['shared'],
  agent: ['agent', 'shared', 'package.json'],
  'control-plane': ['control-plane', 'shared', 'package.json'],
  deploy: ['deploy', 'control-plane', 'shared'],
};

/** Imports the schemas of all domains, but as types only, which are erased: `dashboard/modules.test.ts` checks it. */
const typesOfTheApi = 'control-plane/web/dashboard/app/session/api-types.ts';

const sources = Object.keys(programs).flatMap(sourcesOf);

test('programs import only what both share, and deploy composes them', t => {
  const wrong = sources.flatMap(source => {
    const allowed = programs[source.path.split('/')[0] ?? ''] ?? [];
    return source.imports
      .filter(name => !allowed.includes(name.split('/')[0] ?? ''))
      .map(name => `${source.path} imports ${name}`);
  });
  t.deepEqual(wrong, []);
});

const controlPlane = sourcesOf('control-plane').filter(source => source.path !== typesOfTheApi);

test('the wings of the control plane import as its README draws them', t => {
  const before = wingsOfThePicture();
  const folders = new Set(controlPlane.flatMap(({ path }) => wingOf(path) ?? []));
  t.deepEqual(
    [...folders].filter(wing => !before.has(wing)),
    [],
    'each wing is in the picture',
  );
  const wrong = controlPlane.flatMap(({ path, imports }) =>
    imports
      .filter(name => {
        const [from, to] = [wingOf(path), wingOf(name)];
        if (from === null || !name.startsWith('control-plane/')) return false;
        return from !== to && (to === null ? !isBesideRoot(from) : !before.get(from)?.has(to));
      })
      .map(name => `${path} imports ${name}`),
  );
  t.deepEqual(wrong, []);
});

const wiringMax = 160;

test(`the root and its roles have at most ${wiringMax} imports, and only they import a wing as a whole`, t => {
  const isWiring = (path: string) => wingOf(path) === null || wingOf(path) === 'roles';
  const count = controlPlane
    .filter(({ path }) => isWiring(path))
    .reduce((sum, { text }) => sum + (text.match(/^(?:import\b|\} from\b)/gm)?.length ?? 0), 0);
  t.true(count <= wiringMax, `${count} imports`);
  const whole = controlPlane.flatMap(({ path, imports }) =>
    imports.filter(name => name.endsWith('/wing.ts') && !isWiring(path)).map(name => `${path} imports ${name}`),
  );
  t.deepEqual(whole, []);
});

test('the folders of a wing import in one direction', t => {
  const edges = new Map<string, Set<string>>();
  for (const { path, imports } of controlPlane) {
    const from = folderAt(path, 2);
    for (const to of imports.map(name => folderAt(name, 2)))
      if (from !== null && to !== null && from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  const circles = [...edges.keys()].filter(folder => reach(edges, folder).has(folder));
  t.deepEqual(circles, []);
});

test('no import leads back to its file', t => {
  const byPath = new Map(sources.map(source => [source.path, source]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (source: Source, way: readonly string[]): void => {
    if (way.includes(source.path))
      return void cycles.push([...way.slice(way.indexOf(source.path)), source.path].join(' → '));
    if (done.has(source.path)) return;
    for (const name of source.imports) {
      const next = byPath.get(name);
      if (next !== undefined) visit(next, [...way, source.path]);
    }
    done.add(source.path);
  };
  for (const source of sources) visit(source, []);
  t.deepEqual(cycles, []);
});

test('only the intake itself knows NATS: others see its port', t => {
  const wrong = controlPlane.flatMap(({ path, imports }) =>
    imports
      .filter(name => name.startsWith('control-plane/operations/intake/nats/'))
      .filter(() => !path.startsWith('control-plane/operations/'))
      .map(name => `${path} imports ${name}`),
  );
  t.deepEqual(wrong, []);
});

test('each program reads its environment once, at its start', t => {
  const readers = sources.filter(source => /process\.env/.test(source.text)).map(source => source.path);
  // command.ts passes the whole environment to the programs it runs, and reads nothing from it.
  t.deepEqual(readers.sort(), [
    'agent/main.ts',
    'control-plane/admin.ts',
    'control-plane/main.ts',
    'deploy/cli/main.ts',
    'deploy/compose/secrets.ts',
    'deploy/embedded-postgres/command.ts',
    'deploy/local/database.ts',
    'deploy/local/main.ts',
  ]);
});

test('SQL is in stores and mechanisms only', t => {
  const allowed = /store\.ts$|\/db\/|\/http\/(endpoint\/idempotency|limits\/rate-limit)\.ts$/;
  const wrong = sources
    .filter(
      source => /\b(sql|tx|sqlOf\([^)]*\))\.(rows|row|once|run)\b/.test(source.text) && !allowed.test(source.path),
    )
    .map(source => source.path);
  t.deepEqual(wrong, []);
});

/** Composes the processes, and so reads their configuration. */
function isBesideRoot(wing: string): boolean {
  return wing === 'roles';
}
