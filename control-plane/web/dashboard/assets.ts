import { type Asset, makeAsset } from '../../platform/http/asset.ts';
import { type Bundle, bundleDashboard } from './bundle.ts';

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

/** The dashboard's files and its page, which `render` makes for them. */
export async function loadAssets(render: (bundle: Bundle) => string): Promise<Assets> {
  const bundle = await bundleDashboard();
  const { version, files } = bundle;
  const made = [...files].map(async ([name, text]) => [name, await makeAsset(typeOf(name), text)] as const);
  const assets = new Map(await Promise.all(made));
  return {
    version,
    find: name => assets.get(name) ?? null,
    page: await makeAsset('text/html; charset=utf-8', render(bundle)),
  };
}

function typeOf(name: string): string {
  return types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
}
