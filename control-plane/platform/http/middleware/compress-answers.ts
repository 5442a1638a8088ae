import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Middleware } from 'koa';

/** Shorter answers fit into one packet as they are. */
const bytesMin = 1200;
const encodings = {
  br: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => zip(text, { level: 5 }),
};
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/**
 * Compresses what is read, in zlib's own threads. Answers to changes stay as they are: they may hold a new secret.
 */
export const compressAnswers: Middleware = async (context, next) => {
  await next();
  const { body, method } = context;
  if (method !== 'GET' || typeof body !== 'string' || Buffer.byteLength(body) < bytesMin) return;
  context.vary('Accept-Encoding');
  // Not the one that the client names first: browsers name gzip first and mean nothing by it.
  const encoding = (['br', 'gzip'] as const).find(name => context.acceptsEncodings(name) === name);
  if (encoding === undefined) return;
  context.body = await encodings[encoding](body);
  context.set('Content-Encoding', encoding);
};
