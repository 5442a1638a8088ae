import { brotliDecompressSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { loadAssets } from '#control-plane/web/dashboard/assets.ts';
import { bundleDashboard } from '#control-plane/web/dashboard/bundle.ts';
import { dashboardPage } from '#control-plane/web/dashboard/page.ts';

const openingMax = { bytes: 75_000, scripts: 16 };
const viewsMax = 100_000;

test('the files of the bundle are found by their name, and nothing else is', async t => {
  const assets = await loadAssets(dashboardPage);
  for (const name of ['app.js', 'app.css', 'icon.svg', 'icon-alert.svg']) t.not(assets.find(name), null, name);
  for (const name of ['', 'main.tsx', '../routes.ts', '/etc/passwd', 'tsconfig.json', 'constructor', '__proto__'])
    t.is(assets.find(name), null, name);
});

test('a file has its type and both encodings', async t => {
  const script = (await loadAssets(dashboardPage)).find('app.js');
  t.is(script?.type, 'text/javascript; charset=utf-8');
  t.deepEqual(brotliDecompressSync(script?.brotli ?? Buffer.of()), script?.plain);
});

test('a process bundles once, and the version depends on the files alone', async t => {
  const [first, second] = await Promise.all([bundleDashboard(), bundleDashboard()]);
  t.is(first, second);
  t.regex(first.version, /^[0-9a-f]{16}$/);
});

test('the dashboard opens with few scripts of 75 kB compressed; views fetched together add 100 kB', async t => {
  const { files, first } = await bundleDashboard();
  const sizeOf = (name: string) => gzipSync(files.get(name) ?? '').length;
  const bytes = [...first, 'app.css', 'icon.svg', 'icon-alert.svg'].reduce((sum, name) => sum + sizeOf(name), 0);
  t.true(bytes < openingMax.bytes, `${bytes} bytes`);
  t.true(first.length <= openingMax.scripts, `${first.length} scripts`);
  const others = [...files.keys()].filter(name => name.endsWith('.js') && !first.includes(name));
  t.true(others.length > 5);
  for (const name of others) t.true(sizeOf(name) < viewsMax, `${name}: ${sizeOf(name)} bytes`);
});

test('style sheets stand in the layers of the design, in their order', async t => {
  const style = (await bundleDashboard()).files.get('app.css') ?? '';
  t.regex(style, /^@layer tokens,\s?base,\s?layout,\s?parts,\s?views;/);
  const layers = new Set([...style.matchAll(/@layer (\w+)\s?\{/g)].map(match => match[1]));
  t.deepEqual([...layers], ['tokens', 'base', 'layout', 'parts', 'views']);
});
