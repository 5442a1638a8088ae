import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

/** One file as browsers get it. */
export type Asset = { type: string; plain: Buffer; brotli: Buffer; hash: string };

export type Assets = {
  /** A hash of all files: part of their addresses, so that browsers may keep them for ever. */
  version: string;
  find(path: string): Asset | null;
  page(render: (version: string, modules: readonly string[]) => string): Asset;
};

const folder = fileURLToPath(new URL('app', import.meta.url));
const types: Record<string, string> = {
  ts: 'text/javascript; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the files at the first request and keeps them. A failed read is tried again by the next. */
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
  const hash = createHash('sha256');
  for (const [path, text] of texts) hash.update(`${path}\n${text}\n`);
  const version = hash.digest('hex').slice(0, 16);
  const kept = new Map<string, Asset>();
  return {
    version,
    find: path => {
      const text = texts.get(path);
      if (text === undefined) return null;
      return keep(kept, path, () => makeAsset(types[extensionOf(path)] ?? 'text/plain', toBrowser(path, text)));
    },
    page: render => {
      const modules = [...texts.keys()].filter(path => path.endsWith('.ts'));
      return keep(kept, '', () => makeAsset('text/html; charset=utf-8', render(version, modules)));
    },
  };
}

/** The modules keep their names: a browser goes by the type of the answer, and its stack traces name our files. */
async function readApp(): Promise<[string, string][]> {
  const names = (await readdir(folder, { recursive: true })).filter(
    name => extensionOf(name) in types && !name.endsWith('.d.ts'),
  );
  return Promise.all(names.sort().map(async name => [name, await readFile(join(folder, name), 'utf8')]));
}

async function readPlotLibrary(): Promise<[string, string][]> {
  const dist = dirname(createRequire(import.meta.url).resolve('uplot'));
  return [
    ['uplot.js', await readFile(join(dist, 'uPlot.esm.js'), 'utf8')],
    ['uplot.css', await readFile(join(dist, 'uPlot.min.css'), 'utf8')],
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

function keep(kept: Map<string, Asset>, path: string, make: () => Asset): Asset {
  const asset = kept.get(path) ?? make();
  kept.set(path, asset);
  return asset;
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
