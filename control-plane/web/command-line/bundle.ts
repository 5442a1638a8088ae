import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../../deploy/cli/', import.meta.url));
const sizeMax = 8 * 1024 * 1024;
/** What is not ESM asks for the modules of Node by `require`. */
const banner = [
  '#!/usr/bin/env node',
  "import { createRequire as requireOf } from 'node:module';",
  'const require = requireOf(import.meta.url);',
].join('\n');

/**
 * The command line of this version as one file, for each Node from 20.19 on. It is bundled in a process that ends with
 * it, as the dashboard's is stopped when that is bundled.
 */
export async function bundleCommandLine(version: string): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    [
      createRequire(import.meta.url).resolve('esbuild/bin/esbuild'),
      `${folder}main.ts`,
      '--bundle',
      '--platform=node',
      '--format=esm',
      '--target=node20.19',
      '--minify',
      '--charset=utf8',
      // The options of the checker say how types are checked, not what is made.
      '--tsconfig-raw={}',
      `--banner:js=${banner}`,
      `--define:UPQUORUM_VERSION=${JSON.stringify(version)}`,
      '--legal-comments=none',
      '--log-level=error',
    ],
    { cwd: folder, maxBuffer: sizeMax },
  );
  return stdout;
}
