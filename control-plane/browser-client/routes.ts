import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type Router from '@koa/router';
import type Koa from 'koa';

type File = { type: string; plain: Buffer; packed: Buffer; etag: string; maxAgeSeconds: number; page: boolean };

const weekSeconds = 604_800;
// Its script, its style and its calls are its own.
const pagePolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src blob:; base-uri 'none'; frame-ancestors 'none'";

/** The script for pages, and a page that shows it at work. Read once: they are a few KB. */
export function addClientRoutes(router: Router): void {
  const files: [string, File][] = [
    ['/client/v0/flows.js', readFile('flows.js', 'text/javascript; charset=utf-8', weekSeconds)],
    ['/client/demo', { ...readFile('demo.html', 'text/html; charset=utf-8', 0), page: true }],
    ['/client/demo.js', readFile('demo.js', 'text/javascript; charset=utf-8', 0)],
  ];
  for (const [path, file] of files) router.get(path, context => send(context, file));
}

function readFile(name: string, type: string, maxAgeSeconds: number): File {
  const plain = readFileSync(new URL(name, import.meta.url));
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, plain, packed: gzipSync(plain, { level: 9 }), etag, maxAgeSeconds, page: false };
}

/** Readable from every origin, which the integrity check of a script of another origin needs. */
function send(context: Koa.Context, file: File): void {
  context.set(
    'Cache-Control',
    file.maxAgeSeconds === 0 ? 'no-cache' : `public, max-age=${file.maxAgeSeconds}, stale-while-revalidate=86400`,
  );
  context.set('ETag', file.etag);
  context.set('Vary', 'Accept-Encoding');
  if (file.page) context.set('Content-Security-Policy', pagePolicy);
  else {
    context.set('Access-Control-Allow-Origin', '*');
    context.set('Cross-Origin-Resource-Policy', 'cross-origin');
  }
  context.status = 200;
  if (context.fresh) {
    context.status = 304;
    return;
  }
  const packed = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (packed) context.set('Content-Encoding', 'gzip');
  context.set('Content-Type', file.type);
  context.body = packed ? file.packed : file.plain;
}
