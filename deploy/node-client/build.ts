import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// `npm run pack-client` runs this before it packs: `.npmrc` lets npm run no script by itself. dist/ has the sources of
// the package and the client that the dashboard and the command line use, compiled.

const run = promisify(execFile);
const pathTo = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const [sources, target, shared] = [pathTo('source'), pathTo('dist'), pathTo('../../control-plane/web/api-client')];
const compiler = createRequire(import.meta.url).resolve('typescript/package.json');

await rm(target, { recursive: true, force: true });
await mkdir(target);
await cp(join(shared, 'openapi.d.ts'), join(target, 'openapi.d.ts'));
for (const path of [join(shared, 'client.ts'), ...(await readdir(sources)).map(name => join(sources, name))]) {
  const text = (await readFile(path, 'utf8')).replaceAll('../../../control-plane/web/api-client/', './');
  await writeFile(join(target, basename(path)), text.replaceAll(/(from '\.\/[a-z-]+)\.ts'/g, "$1.js'"));
}
const options = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  declaration: true,
  skipLibCheck: true,
  rootDir: target,
  outDir: target,
};
const isSource = (name: string) => name.endsWith('.ts') && !name.endsWith('.d.ts');
const files = (await readdir(target)).filter(isSource);
const config = join(target, 'tsconfig.json');
await writeFile(config, JSON.stringify({ compilerOptions: options, files }));
const failed = await run(process.execPath, [join(compiler, '../bin/tsc'), '-p', config]).catch(error => error);
for (const name of [...files, 'tsconfig.json']) await rm(join(target, name));
if (failed instanceof Error) throw new Error(`the package does not compile: ${(failed as { stdout?: string }).stdout}`);
