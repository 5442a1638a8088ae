import test from 'ava';
import { type Source, sourcesOf } from './sources.ts';

const programs: Record<string, readonly string[]> = {
  shared: ['shared'],
  agent: ['agent', 'shared', 'package.json'],
  'control-plane': ['control-plane', 'shared', 'package.json'],
  deploy: ['deploy', 'control-plane', 'shared'],
};

/** Folders of the control plane in the order of their imports: each may import those before it. */
const domains = [
  'projects',
  'memberships',
  'components',
  'monitors',
  'agents',
  'assignments',
  'certificates',
  'checks',
  'verdicts',
  'probes',
  'alerts',
  'notices',
  'incidents',
  'maintenances',
  'uptime',
  'monitor-metrics',
  'status-pages',
  'subscribers',
  'notifications',
  'channels',
  'alert-groups',
  'routing',
  'acknowledgements',
  'overview',
  'changes',
  'walls',
  'admin',
];
const eventDomains = ['projects', 'events', 'releases', 'impact', 'flows', 'browser-client', 'api-client', 'dashboard'];
/** Build the processes of the control plane from all the others; the intake stores what the broker keeps. */
const composition = ['intake', 'roles'];
const mechanisms = [
  'db',
  'secrets',
  'failures',
  'facts',
  'markup',
  'design',
  'audit',
  'http',
  'openapi',
  'shares',
  'selectors',
];
/** Imports the schemas of all domains, but as types only, which are erased: `dashboard/modules.test.ts` checks it. */
const typesOfTheApi = 'control-plane/web/dashboard/app/data/server/api-types.ts';

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

test('domains of the control plane import in one direction, and mechanisms import no domain', t => {
  const wrong = sourcesOf('control-plane').flatMap(source => {
    if (source.path === typesOfTheApi) return [];
    const from = folderOf(source.path);
    return source.imports
      .filter(name => from !== null && isAgainstOrder(from, folderOf(name), name))
      .map(name => `${source.path} imports ${name}`);
  });
  t.deepEqual(wrong, []);
});

test('every folder of the control plane has a position in the order', t => {
  const folders = new Set(sourcesOf('control-plane').flatMap(source => folderOf(source.path) ?? []));
  t.deepEqual(
    [...folders].filter(folder => ![...domains, ...eventDomains, ...mechanisms, ...composition].includes(folder)),
    [],
  );
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

test('each program reads its environment once, at its start', t => {
  const readers = sources.filter(source => /process\.env/.test(source.text)).map(source => source.path);
  // command.ts passes the whole environment to the programs it runs, and reads nothing from it.
  t.deepEqual(readers.sort(), [
    'agent/main.ts',
    'control-plane/admin.ts',
    'control-plane/main.ts',
    'deploy/compose/secrets.ts',
    'deploy/embedded-postgres/command.ts',
    'deploy/local/database.ts',
    'deploy/local/main.ts',
  ]);
});

test('SQL is in stores and mechanisms only', t => {
  const allowed = /store\.ts$|\/db\/|\/http\/(idempotency|rate-limit)\.ts$/;
  const wrong = sources
    .filter(
      source => /\b(sql|tx|sqlOf\([^)]*\))\.(rows|row|once|run)\b/.test(source.text) && !allowed.test(source.path),
    )
    .map(source => source.path);
  t.deepEqual(wrong, []);
});

function folderOf(path: string): string | null {
  const [program, folder, ...rest] = path.split('/');
  return program === 'control-plane' && rest.length > 0 ? (folder ?? null) : null;
}

function isAgainstOrder(from: string, to: string | null, name: string): boolean {
  if (name.startsWith('shared/') || name === 'package.json' || from === to) return false;
  // They put everything together, and only the files beside them import them.
  if (composition.includes(from)) return to !== null && composition.indexOf(to) > composition.indexOf(from);
  if (to === null) return true;
  if (mechanisms.includes(to)) return mechanisms.includes(from) && mechanisms.indexOf(to) > mechanisms.indexOf(from);
  if (mechanisms.includes(from)) return true;
  // The operator's command works on both.
  if (from === 'admin' && eventDomains.includes(to)) return false;
  const order = domains.includes(from) ? domains : eventDomains;
  return !order.includes(to) || order.indexOf(to) >= order.indexOf(from);
}
