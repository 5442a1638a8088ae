import test from 'ava';
import { sourcesOf } from '#test/repository/sources.ts';
import { reach } from '#test/repository/wings.ts';

const folder = 'control-plane/web/dashboard/app';
const modules = sourcesOf(folder);
/** Values that the bundle may take from outside of the app: modules that import nothing but types. */
const shared = new RegExp(
  `^(${[
    'control-plane/platform/design/(icons|labels|presentations)',
    'control-plane/web/api-client/(client|channel-forms|read-answer|server-events)',
    'shared/(assertions/describe|checks/failure-words|search-folding|webhook-kinds)',
  ].join('|')})\\.ts$`,
);

test('modules take no values from the server, whose types they share', t => {
  t.true(modules.length > 60);
  const wrong = modules.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:import|export) (?!type\b)[^;']*from '((?:#|(?:\.\.\/)+)[^']*)'/gm)].flatMap(
      ([, name = '']) => {
        const target = name.startsWith('#') ? name.slice(1) : new URL(name, `file:///${path}`).pathname.slice(1);
        return target.startsWith(`${folder}/`) || shared.test(target) ? [] : [`${path} imports ${target}`];
      },
    ),
  );
  t.deepEqual(wrong, []);
});

test('modules use no global of Node, although the types of the API bring Node’s along', t => {
  const globals = /\b(process|Buffer|require|__dirname|__filename|setImmediate)\s*[.(]/;
  const users = modules.filter(({ text }) => globals.test(text)).map(({ path }) => path);
  t.deepEqual(users, []);
});

const folderOf = (path: string, depth: number) =>
  path
    .slice(folder.length + 1)
    .split('/')
    .slice(0, -1)[depth] ?? '';
const edges = modules.flatMap(({ path, imports }) =>
  imports.filter(name => name.startsWith(`${folder}/`)).map(name => [path, name] as const),
);

test('the folders of the app import in one direction', t => {
  const order = ['', 'shell', 'features', 'kit', 'session'];
  const wrong = edges.filter(([from, to]) => order.indexOf(folderOf(to, 0)) < order.indexOf(folderOf(from, 0)));
  t.deepEqual(wrong, []);
  const folders = new Set(modules.map(({ path }) => folderOf(path, 0)));
  t.deepEqual([...folders].toSorted(), order.toSorted());
});

test('features import one another in one direction', t => {
  const features = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    const [user, used] = [from, to].map(path => (folderOf(path, 0) === 'features' ? folderOf(path, 1) : ''));
    if (user && used && user !== used) features.set(user, (features.get(user) ?? new Set()).add(used));
  }
  const circles = [...features.keys()].filter(name => reach(features, name).has(name));
  t.deepEqual(circles, []);
});
