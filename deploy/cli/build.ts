import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleCommandLine } from '../../control-plane/web/command-line/bundle.ts';
import manifest from './package.json' with { type: 'json' };

// `npm pack ./deploy/cli --ignore-scripts=false` runs this: dist/upquorum.mjs is the package's only file beside its
// package.json.

const folder = fileURLToPath(new URL('dist', import.meta.url));
await mkdir(folder, { recursive: true });
await writeFile(`${folder}/upquorum.mjs`, await bundleCommandLine(manifest.version), { mode: 0o755 });
