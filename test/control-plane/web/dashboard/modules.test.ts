import test from 'ava';
import { sourcesOf } from '#test/repository/sources.ts';

const folder = 'control-plane/web/dashboard/app';
const modules = sourcesOf(folder);
/** Values that the bundle may take from outside of the app: modules that import nothing but types. */
const shared = new RegExp(
  `^(${[
    'control-plane/platform/design/(icons|labels|looks)',
    'control-plane/web/api-client/(client|channel-forms)',
    'shared/(assertions/describe|search-folding)',
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

test('the folders of the app import in one direction', t => {
  const order = ['', 'shell', 'views', 'parts', 'state', 'data'];
  const folderOf = (path: string) => {
    const steps = path.slice(folder.length + 1).split('/');
    return steps.length === 1 ? '' : (steps[0] ?? '');
  };
  const wrong = modules.flatMap(({ path, imports }) =>
    imports
      .filter(name => name.startsWith(`${folder}/`))
      .filter(name => order.indexOf(folderOf(name)) < order.indexOf(folderOf(path)))
      .map(name => `${path} imports ${name}`),
  );
  t.deepEqual(wrong, []);
});
