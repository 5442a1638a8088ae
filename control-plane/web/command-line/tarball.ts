import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Header } from 'tar';
import { bundleCommandLine } from './bundle.ts';

const compress = promisify(gzip);
const manifest = new URL('../../../deploy/cli/package.json', import.meta.url);
const blockBytes = 512;

/** The package of the command line, as `npm pack` makes it; the same bytes in each replica of a version. */
export async function packCommandLine(version: string): Promise<Buffer> {
  const { scripts: _, ...described } = JSON.parse(await readFile(manifest, 'utf8')) as Record<string, unknown>;
  const archive = Buffer.concat([
    entry('package/package.json', 0o644, `${JSON.stringify({ ...described, version }, null, 2)}\n`),
    entry('package/dist/upquorum.mjs', 0o755, await bundleCommandLine(version)),
    Buffer.alloc(2 * blockBytes),
  ]);
  return compress(archive, { level: 9 });
}

function entry(path: string, mode: number, text: string): Buffer {
  const content = Buffer.from(text);
  const header = new Header({ path, mode, size: content.length, type: 'File', uid: 0, gid: 0, mtime: new Date(0) });
  header.encode();
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
  return Buffer.concat([header.block ?? Buffer.alloc(0), content, padding]);
}
