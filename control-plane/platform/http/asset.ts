import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type Koa from 'koa';

/** A file that is the same for everybody, as it is sent. */
export type Asset = { type: string; plain: Buffer; brotli: Buffer; etag: string };

const compress = promisify(brotliCompress);
const quality = 5;

/** Compresses a file once, off the event loop. */
export async function makeAsset(type: string, content: string | Buffer): Promise<Asset> {
  const plain = Buffer.from(content);
  const brotli = await compress(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  return { type, plain, brotli, etag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 16)}"` };
}

/** Makes it at the first request and keeps it. After a failure the next request tries again. */
export function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let making: Promise<Value> | null = null;
  return () => {
    making ??= make().catch(error => {
      making = null;
      throw error;
    });
    return making;
  };
}

/** Sends the file, compressed if the client can read that; 304 if it has the file already. */
export function sendAsset(context: Koa.Context, asset: Asset): void {
  context.set({ ETag: asset.etag, Vary: 'Accept-Encoding' });
  context.type = asset.type;
  context.status = 200;
  if (context.fresh) {
    context.status = 304;
    return;
  }
  const isBrotli = context.acceptsEncodings('br', 'identity') === 'br';
  if (isBrotli) context.set('Content-Encoding', 'br');
  context.body = isBrotli ? asset.brotli : asset.plain;
}
