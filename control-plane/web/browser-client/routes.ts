import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type Router from '@koa/router';
import type Koa from 'koa';

type File = { type: string; plain: Buffer; gzipped: Buffer; etag: string; caching: string; isPage: boolean };

const script = 'text/javascript; charset=utf-8';
const forAWeek = 'public, max-age=604800, stale-while-revalidate=86400';
const forever = 'public, max-age=31536000, immutable';
const builds = new URL('builds/', import.meta.url);
// The demo's script and requests are of this host, its style is inline, its funnel a blob.
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src blob:',
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the script for pages and a demo page; each build of the script also under a path of its own, which never
 * changes, for pages that name its integrity hash. The files, a few KB, are read once.
 */
export function addClientRoutes(router: Router): void {
  const files: [string, File][] = [
    ['/client/v0/flows.js', readFile('flows.js', script, forAWeek)],
    ...readdirSync(builds).map((name): [string, File] => [
      `/client/v0/${name}`,
      readFile(`builds/${name}`, script, forever),
    ]),
    ['/client/demo', { ...readFile('demo.html', 'text/html; charset=utf-8', 'no-cache'), isPage: true }],
    ['/client/demo.js', readFile('demo.js', script, 'no-cache')],
  ];
  for (const [path, file] of files) router.get(path, context => send(context, file));
}

function readFile(name: string, type: string, caching: string): File {
  const plain = readFileSync(new URL(name, import.meta.url));
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, plain, gzipped: gzipSync(plain, { level: 9 }), etag, caching, isPage: false };
}

/** Everything but the page is readable from every origin, as the integrity check of a cross-origin script requires. */
function send(context: Koa.Context, file: File): void {
  context.set('Cache-Control', file.caching);
  context.set('ETag', file.etag);
  context.set('Vary', 'Accept-Encoding');
  if (file.isPage) context.set('Content-Security-Policy', pagePolicy);
  else {
    context.set('Access-Control-Allow-Origin', '*');
    context.set('Cross-Origin-Resource-Policy', 'cross-origin');
  }
  context.status = 200;
  if (context.fresh) {
    context.status = 304;
    return;
  }
  const asGzip = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (asGzip) context.set('Content-Encoding', 'gzip');
  context.set('Content-Type', file.type);
  context.body = asGzip ? file.gzipped : file.plain;
}
