import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { dashboardTokens, tokenSheet } from '../design/tokens.ts';
import { layerOrder } from './page.ts';

/** One file as it is sent. */
type Asset = { type: string; plain: Buffer; brotli: Buffer; hash: string };

export type Assets = {
  /** A hash of all files and part of their addresses, so that browsers may cache them forever. */
  version: string;
  /** Finds a file by its path in `control-plane/`; null for everything that is not the dashboard's. */
  find(path: string): Asset | null;
  /** The page, rendered once with the paths of all modules. */
  page(render: (version: string, modules: readonly string[]) => string): Asset;
};

const root = fileURLToPath(new URL('..', import.meta.url));
const app = 'dashboard/app';
/** The part of the design that the dashboard shares with status pages: modules that import nothing but types. */
const designModules = ['design/icons.ts', 'design/labels.ts', 'design/looks.ts'];
const types: Record<string, string> = {
  ts: 'text/javascript; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the files at the first request and caches them. After a failure the next request tries again. */
export function openAssets(): () => Promise<Assets> {
  let loading: Promise<Assets> | null = null;
  return () => {
    loading ??= loadAssets().catch(error => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

async function loadAssets(): Promise<Assets> {
  const texts = new Map([...(await readApp()), ...(await readPlotLibrary())]);
  texts.set(`${app}/styles/tokens.css`, `${layerOrder}\n${tokenSheet(dashboardTokens)}`);
  const hash = createHash('sha256');
  for (const [path, text] of texts) hash.update(`${path}\n${text}\n`);
  const version = hash.digest('hex').slice(0, 16);
  const cache = new Map<string, Asset>();
  return {
    version,
    find: path => {
      const text = texts.get(path);
      if (text === undefined) return null;
      return cached(cache, path, () => makeAsset(types[extensionOf(path)] ?? 'text/plain', toBrowser(path, text)));
    },
    page: render => {
      const modules = [...texts.keys()].filter(path => path.endsWith('.ts'));
      return cached(cache, '', () => makeAsset('text/html; charset=utf-8', render(version, modules)));
    },
  };
}

/** Addresses mirror the source tree: relative imports need no rewriting, and stack traces name our files. */
async function readApp(): Promise<[string, string][]> {
  const names = (await readdir(join(root, app), { recursive: true })).filter(
    name => extensionOf(name) in types && !name.endsWith('.d.ts'),
  );
  const paths = [...names.sort().map(name => `${app}/${name}`), ...designModules];
  return Promise.all(paths.map(async path => [path, await readFile(join(root, path), 'utf8')]));
}

/** In a layer of its own, or its rules would win over all of ours. */
async function readPlotLibrary(): Promise<[string, string][]> {
  const dist = dirname(createRequire(import.meta.url).resolve('uplot'));
  const css = await readFile(join(dist, 'uPlot.min.css'), 'utf8');
  return [
    [`${app}/uplot.js`, await readFile(join(dist, 'uPlot.esm.js'), 'utf8')],
    [`${app}/styles/uplot.css`, `@layer uplot {\n${css}\n}\n`],
  ];
}

function toBrowser(path: string, text: string): string {
  return path.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
}

function makeAsset(type: string, text: string): Asset {
  const plain = Buffer.from(text);
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } });
  return { type, plain, brotli, hash: createHash('sha256').update(plain).digest('hex').slice(0, 16) };
}

function cached(cache: Map<string, Asset>, path: string, make: () => Asset): Asset {
  const asset = cache.get(path) ?? make();
  cache.set(path, asset);
  return asset;
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
