import { createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Header } from 'tar';
import { errorCode } from '#shared/error-code.ts';
import { errorMessage } from '#shared/error-message.ts';

/** A file in the archive, small enough for memory. */
export type Part = { name: string; data: Buffer };

const blockBytes = 512;
/** What we write has at most 4 MiB, and a manifest of a thousand columns far less. */
const partBytesMax = 16 * 1024 * 1024;
/** Higher levels take twice the time for a tenth less. */
const compression = { level: 4 };

/** What file systems without hard links answer, such as exFAT and many network shares. */
const linkless = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Writes parts to a new tar.gz file that only this account can read, and that appears under its name when it is whole.
 * Returns its size. Throws with a sentence if the file exists or cannot be written.
 */
export async function writeArchive(file: string, parts: AsyncIterable<Part>, linkFile = link): Promise<number> {
  const draft = `${file}.partial`;
  let isOurs = false;
  try {
    await requireAbsent(file);
    const handle = await open(draft, 'wx', 0o600);
    isOurs = true;
    const output = handle.createWriteStream({ flush: true });
    await pipeline(Readable.from(tarOf(parts), { objectMode: false }), createGzip(compression), output);
    await publish(draft, file, linkFile);
    return (await stat(file)).size;
  } catch (error) {
    throw explainWriting(error, file, draft);
  } finally {
    if (isOurs) await rm(draft, { force: true });
  }
}

async function requireAbsent(file: string): Promise<void> {
  const found = await lstat(file).catch(error => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (found !== null) throw Object.assign(new Error(`${file} exists`), { code: 'EEXIST' });
}

/** A link never replaces a file; renaming would, so it is only for file systems without links. */
async function publish(draft: string, file: string, linkFile: typeof link): Promise<void> {
  try {
    await linkFile(draft, file);
  } catch (error) {
    if (!linkless.includes(errorCode(error) ?? '')) throw error;
    await requireAbsent(file);
    await rename(draft, file);
  }
}

function explainWriting(error: unknown, file: string, draft: string): unknown {
  switch (errorCode(error)) {
    case 'EEXIST':
      return new Error(`${file} or ${draft} exists: choose another name, or delete it if no backup is writing it`, {
        cause: error,
      });
    case 'ENOSPC':
    case 'EDQUOT':
      return new Error(`there is no space left for ${file}: free up some, or choose another folder`, { cause: error });
    case 'ENOENT':
    case 'EACCES':
    case 'EROFS':
    case 'EISDIR':
      return new Error(`${file} cannot be written: ${errorMessage(error)}`, { cause: error });
    default:
      return error;
  }
}

async function* tarOf(parts: AsyncIterable<Part>): AsyncGenerator<Buffer> {
  for await (const { name, data } of parts) {
    const header = new Header({ path: name, mode: 0o600, size: data.length, mtime: new Date(), type: 'File' });
    header.encode();
    if (header.block === undefined) throw new Error(`${name} is no name for a part of a backup`);
    yield header.block;
    yield data;
    yield Buffer.alloc(-data.length & (blockBytes - 1));
  }
  yield Buffer.alloc(2 * blockBytes);
}

/** Reads the parts of an archive in their order. Throws with a sentence if it is damaged or cut off. */
export async function* readArchive(file: string): AsyncGenerator<Part> {
  const source = createReadStream(file);
  const unpacked = createGunzip();
  const copied = pipeline(source, unpacked).catch(error => void unpacked.destroy(error));
  const bytes = new ByteReader(unpacked);
  try {
    for (;;) {
      const header = new Header(await bytes.read(blockBytes));
      if (header.nullBlock) break;
      const size = header.size ?? 0;
      if (!header.cksumValid || size > partBytesMax) throw new Error('an entry of it is damaged');
      const data = await bytes.read(size);
      await bytes.read(-size & (blockBytes - 1));
      yield { name: header.path ?? '', data };
    }
    await bytes.readToEnd();
    await copied;
  } catch (error) {
    throw errorCode(error) === 'ENOENT'
      ? new Error(`${file} does not exist`, { cause: error })
      : new Error(`${file} is not a complete backup: ${errorMessage(error)}`, { cause: error });
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}

class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async read(size: number): Promise<Buffer> {
    const chunks = [this.#rest];
    let length = this.#rest.length;
    while (length < size) {
      const next = await this.#chunks.next();
      if (next.done === true) throw new Error('it is cut off');
      chunks.push(next.value);
      length += next.value.length;
    }
    const all = chunks.length === 1 ? this.#rest : Buffer.concat(chunks);
    this.#rest = all.subarray(size);
    return all.subarray(0, size);
  }

  /** What follows is padding; the checksum of the whole stands at its end. */
  async readToEnd(): Promise<void> {
    while ((await this.#chunks.next()).done !== true);
  }
}
