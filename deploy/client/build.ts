import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

// `npm run build-client`: bundles the script for web pages, keeps the build under its own name and writes name and
// integrity hash into the docs. All is committed, so that nobody has to build anything; tests prove that it matches the
// source. A build that was released is never deleted: pages name it.

const source = fileURLToPath(new URL('../../control-plane/web/browser-client/client/flows.ts', import.meta.url));
const bundle = fileURLToPath(new URL('../../control-plane/web/browser-client/flows.js', import.meta.url));
const builds = fileURLToPath(new URL('../../control-plane/web/browser-client/builds', import.meta.url));
const guide = fileURLToPath(new URL('../../docs/browser-client.md', import.meta.url));

/** Bundles the current source and returns the script. */
export function buildClient(): string {
  const built = buildSync({
    entryPoints: [source],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2020'],
    charset: 'utf8',
    legalComments: 'none',
    write: false,
  });
  return built.outputFiles[0]?.text ?? '';
}

/** The value of a script tag's `integrity` attribute for this text. */
export function integrityOf(text: string): string {
  return `sha384-${createHash('sha384').update(text).digest('base64')}`;
}

/** The file name of a build, by its content. */
export function buildName(text: string): string {
  return `flows-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.js`;
}

if (import.meta.main) {
  const text = buildClient();
  writeFileSync(bundle, text);
  writeFileSync(join(builds, buildName(text)), text);
  const named = readFileSync(guide, 'utf8')
    .replaceAll(/sha384-[A-Za-z0-9+/=]+/g, integrityOf(text))
    .replaceAll(/flows-[0-9a-f]{12}\.js/g, buildName(text));
  writeFileSync(guide, named);
}
