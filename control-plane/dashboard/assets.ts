import { type Asset, makeAsset } from '../http/asset.ts';
import { bundleDashboard } from './bundle.ts';

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

/** The dashboard's files and its page, which `render` makes for their version. */
export async function loadAssets(render: (version: string) => string): Promise<Assets> {
  const { version, files } = await bundleDashboard();
  const made = [...files].map(async ([name, text]) => [name, await makeAsset(typeOf(name), text)] as const);
  const assets = new Map(await Promise.all(made));
  return {
    version,
    find: name => assets.get(name) ?? null,
    page: await makeAsset('text/html; charset=utf-8', render(version)),
  };
}

function typeOf(name: string): string {
  return types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain';
}
