import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop, transform } from 'esbuild';
import { dashboardTokens, tokenSheet } from '../../platform/design/tokens.ts';
import { styleSheetsOf } from './style-sheets.ts';

/**
 * The dashboard's files as browsers take them, by name. `version` is a hash of all of them, `first` the scripts without
 * which nothing is shown; the others are fetched with the views that need them.
 */
export type Bundle = { version: string; files: ReadonlyMap<string, string>; first: readonly string[] };

const app = fileURLToPath(new URL('app', import.meta.url));

/** Every sheet names the layers it stands in. */
const layerOrder = '@layer tokens, base, layout, parts, views;';

/**
 * A process bundles once, in memory, when the dashboard is first asked for: all of its servers share the result. It
 * takes about 0.2 s, beside the event loop, in a process that ends with it.
 */
let bundling: Promise<Bundle> | null = null;

/** After a failure the next call tries again. */
export function bundleDashboard(): Promise<Bundle> {
  bundling ??= makeBundle().catch(error => {
    bundling = null;
    throw error;
  });
  return bundling;
}

/** The same with another script, which begins with `entry`: for pages that no customer gets. */
export async function bundleWith(entry: string): Promise<Bundle> {
  const { version, files } = await bundleDashboard();
  try {
    const { scripts, first } = await bundleScripts(entry);
    return { version, files: new Map([...files, ...scripts]), first };
  } finally {
    await stop();
  }
}

async function makeBundle(): Promise<Bundle> {
  try {
    const [{ scripts, first }, style, icon, alertIcon] = await Promise.all([
      bundleScripts(),
      bundleStyle(),
      readFile(join(app, 'icon.svg'), 'utf8'),
      readFile(join(app, 'icon-alert.svg'), 'utf8'),
    ]);
    const files = new Map([...scripts, ['app.css', style] as const, ['icon.svg', icon], ['icon-alert.svg', alertIcon]]);
    const hash = createHash('sha256');
    for (const [name, text] of files) hash.update(`${name}\n${text}\n`);
    return { version: hash.digest('hex').slice(0, 16), files, first };
  } finally {
    await stop();
  }
}

type Scripts = { scripts: readonly (readonly [name: string, text: string])[]; first: readonly string[] };

async function bundleScripts(entry = join(app, 'main.tsx')): Promise<Scripts> {
  const { outputFiles, metafile } = await build({
    entryPoints: { app: entry },
    absWorkingDir: app,
    outdir: '/',
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The options of the checker say how types are checked, not what is made.
    tsconfigRaw: {},
    legalComments: 'none',
    logLevel: 'silent',
  });
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const first = new Set(['app.js']);
  for (const name of first)
    for (const { path, kind } of outputs.get(name)?.imports ?? [])
      if (kind === 'import-statement') first.add(basename(path));
  return { scripts: outputFiles.map(({ path, text }) => [basename(path), text] as const), first: [...first] };
}

async function bundleStyle(): Promise<string> {
  const plot = await readFile(join(dirname(createRequire(import.meta.url).resolve('uplot')), 'uPlot.min.css'), 'utf8');
  const names = await styleSheetsOf(app);
  const sheets = await Promise.all(names.map(name => readFile(join(app, name), 'utf8')));
  // In a layer of ours, or the plot library's rules would win over all others.
  const text = [layerOrder, tokenSheet(dashboardTokens), `@layer base {\n${plot}\n}`, ...sheets].join('\n');
  return (await transform(text, { loader: 'css', minify: true, target: 'chrome123' })).code;
}
