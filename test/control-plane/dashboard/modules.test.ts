import test from 'ava';
import { openAssets } from '#control-plane/dashboard/assets.ts';
import { sourcesOf } from '#test/repository/sources.ts';

const folder = 'control-plane/dashboard/app';
const modules = sourcesOf(folder).filter(({ path }) => !path.endsWith('.d.ts'));

test('every module is served as JavaScript that imports other served modules only', async t => {
  const assets = await openAssets()();
  t.true(modules.length > 40);
  for (const { path } of modules) {
    const name = path.slice('control-plane/'.length);
    const script = assets.find(name)?.plain.toString() ?? '';
    t.not(script, '', path);
    // Type-only imports are erased; any other that leads outside the folder would be a 404 in the browser.
    for (const [, target = ''] of script.matchAll(/^\s*(?:import|export)\b[^;'"]*?from\s*'([^']+)'/gm)) {
      const address = new URL(target, `https://up.example/assets/x/${name}`).pathname.replace('/assets/x/', '');
      t.true(target.startsWith('.') && assets.find(address) !== null, `${path} imports ${target}`);
    }
  }
});

test('modules use no global of Node, although the types of the API bring Node’s along', t => {
  const globals = /\b(process|Buffer|require|__dirname|__filename|setImmediate)\s*[.(]/;
  const users = modules.filter(({ text }) => globals.test(text)).map(({ path }) => path);
  t.deepEqual(users, []);
});

test('the folders of the app import in one direction', t => {
  const order = ['', 'views', 'parts', 'dom', 'data'];
  const types = new Set([`${folder}/view.ts`, `${folder}/match-address.ts`]);
  const folderOf = (path: string) =>
    path
      .slice(folder.length + 1)
      .split('/')
      .slice(0, -1)[0] ?? '';
  const wrong = modules.flatMap(({ path, imports }) =>
    imports
      .filter(name => name.startsWith(`${folder}/`) && !types.has(name) && !name.includes('uplot'))
      .filter(name => order.indexOf(folderOf(name)) < order.indexOf(folderOf(path)))
      .map(name => `${path} imports ${name}`),
  );
  t.deepEqual(wrong, []);
});
