import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, stop } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

// `node build.ts`: writes dist/upquorum.mjs, as `npm pack` needs it.

const folder = fileURLToPath(new URL('.', import.meta.url));
/** What is not ESM asks for the modules of Node by `require`. */
const banner = [
  '#!/usr/bin/env node',
  "import { createRequire as requireOf } from 'node:module';",
  'const require = requireOf(import.meta.url);',
].join('\n');

/** The command line as one file, for each Node from 20.19 on. */
export async function buildCommandLine(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${folder}main.ts`],
    absWorkingDir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    minify: true,
    charset: 'utf8',
    write: false,
    // The options of the checker say how types are checked, not what is made.
    tsconfigRaw: {},
    banner: { js: banner },
    define: { UPQUORUM_VERSION: JSON.stringify(manifest.version) },
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

if (import.meta.main) {
  await mkdir(`${folder}dist`, { recursive: true });
  await writeFile(`${folder}dist/upquorum.mjs`, await buildCommandLine(), { mode: 0o755 });
  await stop();
}
