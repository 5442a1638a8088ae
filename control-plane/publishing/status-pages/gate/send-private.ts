import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Gate } from '../access/gate.ts';
import type { PublishedDocument } from '../serve/page-files.ts';
import type { PublishedPages } from '../serve/published-pages.ts';
import { acceptsGzip, matchesEtag, requestIdOf } from '../serve/serve.ts';
import { privateHeaders } from './private-headers.ts';

const zip = promisify(gzip);
/** What visitors of a page get, made once for each key: as long as the document is remembered. */
const keyedBodies = new WeakMap<Buffer, { key: string; plain: Buffer; zipped: Buffer }>();

/**
 * Sends a document to somebody who was let in. The links to feeds in it get the key with which readers come in: it is
 * added here, so that no stored document has it and a new key is in all of them at once.
 */
export async function sendPrivate(
  pages: Pick<PublishedPages, 'get' | 'read' | 'plain'>,
  path: string,
  { gate, slug, defaults }: { gate: Gate; slug: string; defaults: Readonly<Record<string, string>> },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const document = pages.get(path) ?? (await pages.read(path));
  if (document === undefined) throw new Error('the document is gone');
  const zipped = acceptsGzip(request.headers['accept-encoding']);
  const etag = `"${document.etag}-${gate.version}${zipped ? '-gz' : ''}"`;
  const headers = {
    ...defaults,
    ...privateHeaders(document.contentType),
    ETag: etag,
    'X-Request-Id': requestIdOf(request),
  };
  if (matchesEtag(request.headers['if-none-match'], etag)) return void response.writeHead(304, headers).end();
  const body = await bodyOf(pages, document, { key: gate.key, slug, zipped });
  if (zipped) response.setHeader('Content-Encoding', 'gzip');
  response.writeHead(200, { ...headers, 'Content-Length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function bodyOf(
  pages: Pick<PublishedPages, 'plain'>,
  document: PublishedDocument,
  { key, slug, zipped }: { key: string | undefined; slug: string; zipped: boolean },
): Promise<Buffer> {
  if (key !== undefined && document.contentType.startsWith('text/html')) {
    const keyed = await keyedBodyOf(pages, document, key, slug);
    return zipped ? keyed.zipped : keyed.plain;
  }
  return zipped ? document.gzip : plainOf(pages, document);
}

async function keyedBodyOf(
  pages: Pick<PublishedPages, 'plain'>,
  document: PublishedDocument,
  key: string,
  slug: string,
): Promise<{ plain: Buffer; zipped: Buffer }> {
  const known = keyedBodies.get(document.gzip);
  if (known?.key === key) return known;
  const plain = Buffer.from(withKey((await plainOf(pages, document)).toString(), slug, key));
  const made = { key, plain, zipped: await zip(plain) };
  keyedBodies.set(document.gzip, made);
  return made;
}

async function plainOf({ plain }: Pick<PublishedPages, 'plain'>, document: PublishedDocument): Promise<Buffer> {
  return plain.get(document) ?? plain.inflate(document);
}

/** Pure: adds the key to the page's links to what opens with it. */
export function withKey(html: string, slug: string, key: string): string {
  const links = new RegExp(`href="((?:/status/${slug})?/(?:feed\\.rss|feed\\.atom|summary\\.json))"`, 'g');
  return html.replaceAll(links, (_, path) => `href="${path}?key=${key}"`);
}
