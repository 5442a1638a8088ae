import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

// `npm run build-client`: bundles the script that pages load and writes its integrity hash into the docs. The bundle is
// kept in the repository, so that nobody has to build anything; a test proves that it is the source's.

const source = fileURLToPath(new URL('../../control-plane/browser-client/client/flows.ts', import.meta.url));
const bundle = fileURLToPath(new URL('../../control-plane/browser-client/flows.js', import.meta.url));
const guide = fileURLToPath(new URL('../../docs/browser-client.md', import.meta.url));

/** The bundle as the source is now. */
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

/** As the `integrity` attribute of a script tag has it. */
export function integrityOf(text: string): string {
  return `sha384-${createHash('sha384').update(text).digest('base64')}`;
}

if (import.meta.main) {
  const text = buildClient();
  writeFileSync(bundle, text);
  writeFileSync(guide, readFileSync(guide, 'utf8').replaceAll(/sha384-[A-Za-z0-9+/=]+/g, integrityOf(text)));
}
