import { createHash } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { bundleDashboard } from './bundle.ts';

/** One file as it is sent. */
type Asset = { type: string; plain: Buffer; brotli: Buffer; hash: string };

export type Assets = {
  /** A hash of all files and part of their addresses, so that browsers may cache them forever. */
  version: string;
  /** Finds a file by its name; null for everything that is not the dashboard's. */
  find(name: string): Asset | null;
  /** The page, rendered once. */
  page: Asset;
};

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Bundles the files at the first request and caches them. After a failure the next request tries again. */
export function openAssets(render: (version: string) => string): () => Promise<Assets> {
  let loading: Promise<Assets> | null = null;
  return () => {
    loading ??= loadAssets(render).catch(error => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

async function loadAssets(render: (version: string) => string): Promise<Assets> {
  const { version, files } = await bundleDashboard();
  const assets = new Map([...files].map(([name, text]) => [name, makeAsset(typeOf(name), text)]));
  return {
    version,
    find: name => assets.get(name) ?? null,
    page: makeAsset('text/html; charset=utf-8', render(version)),
  };
}

function typeOf(name: string): string {
  return types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
}

function makeAsset(type: string, text: string): Asset {
  const plain = Buffer.from(text);
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } });
  return { type, plain, brotli, hash: createHash('sha256').update(plain).digest('hex').slice(0, 16) };
}
