import { brotliDecompressSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { loadAssets } from '#control-plane/web/dashboard/assets.ts';
import { bundleDashboard } from '#control-plane/web/dashboard/bundle.ts';
import { dashboardPage } from '#control-plane/web/dashboard/page.ts';

const bytesMax = 150_000;

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

test('what the dashboard opens with stays below 150 kB compressed, and so does each view’s own part', async t => {
  const { files, first } = await bundleDashboard();
  const sizeOf = (name: string) => gzipSync(files.get(name) ?? '').length;
  const bytes = [...first, 'app.css', 'icon.svg', 'icon-alert.svg'].reduce((sum, name) => sum + sizeOf(name), 0);
  t.true(bytes < bytesMax, `${bytes} bytes`);
  const others = [...files.keys()].filter(name => name.endsWith('.js') && !first.includes(name));
  t.true(others.length > 10);
  for (const name of others) t.true(sizeOf(name) < 40_000, `${name}: ${sizeOf(name)} bytes`);
});

test('style sheets stand in the layers of the design, in their order', async t => {
  const style = (await bundleDashboard()).files.get('app.css') ?? '';
  t.regex(style, /^@layer tokens,\s?base,\s?layout,\s?parts,\s?views;/);
  const layers = new Set([...style.matchAll(/@layer (\w+)\s?\{/g)].map(match => match[1]));
  t.deepEqual([...layers], ['tokens', 'base', 'layout', 'parts', 'views']);
});
