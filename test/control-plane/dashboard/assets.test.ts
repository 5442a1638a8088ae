import { brotliDecompressSync } from 'node:zlib';
import test from 'ava';
import { openAssets } from '#control-plane/dashboard/assets.ts';
import { dashboardPage } from '#control-plane/dashboard/page.ts';

const app = 'dashboard/app';

test('files of every folder are found by their path, and nothing else is', async t => {
  const assets = await openAssets()();
  for (const path of [
    'main.ts',
    'dom/patch.ts',
    'views/monitor/monitor.ts',
    'icon.svg',
    'styles/uplot.css',
    'uplot.js',
  ])
    t.not(assets.find(`${app}/${path}`), null, path);
  for (const path of [
    '',
    'views',
    '../routes.ts',
    'dom/../main.ts',
    './main.ts',
    '/etc/passwd',
    'tsconfig.json',
    'uplot.d.ts',
    'constructor',
    '__proto__',
  ])
    for (const candidate of [path, `${app}/${path}`]) t.is(assets.find(candidate), null, candidate);
});

test('a file is prepared once, with its type and both encodings', async t => {
  const assets = await openAssets()();
  const script = assets.find(`${app}/dom/patch.ts`);
  t.is(script?.type, 'text/javascript; charset=utf-8');
  t.is(assets.find(`${app}/styles/uplot.css`)?.type, 'text/css; charset=utf-8');
  t.is(assets.find(`${app}/icon.svg`)?.type, 'image/svg+xml');
  t.deepEqual(brotliDecompressSync(script?.brotli ?? Buffer.of()), script?.plain);
  t.is(assets.find(`${app}/dom/patch.ts`), script);
});

test('files are read at the first request only, and the version depends on their content alone', async t => {
  const open = openAssets();
  const first = await open();
  t.is(await open(), first);
  t.is((await openAssets()()).version, first.version);
  t.regex(first.version, /^[0-9a-f]{16}$/);
});

test('the page preloads every module under the version, so that they load in parallel', async t => {
  const assets = await openAssets()();
  const html = assets.page(dashboardPage).plain.toString();
  const preloaded = [...html.matchAll(/rel="modulepreload" href="\/dashboard\/assets\/(\w+)\/([^"]+)"/g)];
  t.true(preloaded.length > 40);
  t.true(preloaded.every(([, version, path = '']) => version === assets.version && assets.find(path) !== null));
  t.is(assets.page(dashboardPage), assets.page(dashboardPage));
});
