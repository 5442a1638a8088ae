import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import got, { type Headers } from 'got';
import { etagOf, type PublishedDocument } from '#control-plane/publishing/status-pages/serve/page-files.ts';
import { PageHeaders } from '#control-plane/publishing/status-pages/serve/page-headers.ts';
import { headOf } from '#control-plane/publishing/status-pages/serve/page-index.ts';
import { PlainDocuments } from '#control-plane/publishing/status-pages/serve/plain-documents.ts';
import { acceptsGzip, matchesEtag, servePublished } from '#control-plane/publishing/status-pages/serve/serve.ts';

const encodings: [header: string | undefined, accepted: boolean][] = [
  [undefined, false],
  ['', false],
  ['gzip', true],
  ['GZIP', true],
  ['gzip, deflate, br, zstd', true],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
  ['gzip;q=0', false],
  ['gzip;q=0.0', false],
  ['gzip;q=0.000', false],
  ['gzip;q=0.001', true],
  ['gzip ; q=0', false],
  ['*', true],
  ['*;q=0', false],
  ['gzip;q=0, *', false],
  ['*;q=0, gzip', true],
  ['identity', false],
  ['xgzip', false],
  ['x-gzip', false],
  ['br,,gzip', true],
];
for (const [header, accepted] of encodings)
  test(`Accept-Encoding ${JSON.stringify(header) ?? 'missing'} ${accepted ? 'accepts' : 'refuses'} gzip`, t => {
    t.is(acceptsGzip(header), accepted);
  });

test('the order and spacing of encodings do not matter', t => {
  const offers = fc.uniqueArray(fc.constantFrom('gzip;q=0.5', 'br', 'identity;q=0', '*;q=0', 'deflate'));
  fc.assert(
    fc.property(offers, fc.constantFrom(',', ', ', ' ,  '), (list, comma) => {
      t.is(acceptsGzip(list.join(comma)), list.includes('gzip;q=0.5'));
    }),
  );
});

const conditions: [header: string | undefined, matches: boolean][] = [
  [undefined, false],
  ['', false],
  ['"a"', true],
  ['W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['"b", "a"', true],
  ['"b" , W/"a" ', true],
  ['a', false],
  ['"A"', false],
  ['"a-gz"', false],
];
for (const [header, matches] of conditions)
  test(`If-None-Match ${JSON.stringify(header) ?? 'missing'} ${matches ? 'matches' : 'does not match'} "a"`, t => {
    t.is(matchesEtag(header, '"a"'), matches);
  });

const text = '<p>All systems operational</p>'.repeat(50);
const publishedAt = Date.UTC(2026, 10, 21, 14, 5, 0, 300);
const documentOf = (path: string, contentType: string): PublishedDocument => ({
  path,
  pageId: 'sp_1',
  contentType,
  etag: etagOf(text),
  publishedAt,
  gzip: gzipSync(text),
});

/** A server that serves two documents, and answers 418 to everything else. */
async function open(t: ExecutionContext) {
  const documents = [
    documentOf('acme', 'text/html; charset=utf-8'),
    documentOf('acme/summary.json', 'application/json'),
    documentOf('acme-former', 'redirect:acme'),
  ];
  const cached = new Map(documents.map(document => [document.path, document]));
  const find = (path: string) => {
    const document = cached.get(path);
    return document === undefined ? undefined : headOf(document);
  };
  // The body of the second has to be read from disk.
  const get = (path: string) => (path === 'acme' ? cached.get(path) : undefined);
  const pages = { find, get, read: async (path: string) => cached.get(path), plain: new PlainDocuments() };
  const headers = new PageHeaders();
  const server = createServer((request, response) => {
    if (!servePublished(pages, { headers, homeOf: () => null }, request, response)) response.writeHead(418).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return (path: string, headers: Headers = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    got(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'accept-encoding': undefined, ...headers },
      decompress: false,
      responseType: 'buffer',
      throwHttpErrors: false,
      followRedirect: false,
      retry: { limit: 0 },
    });
}

test('a document has its length and its bytes in each encoding, and an ETag of its own in each', async t => {
  const request = await open(t);
  const plain = await request('/status/acme');
  const zipped = await request('/status/acme', { 'accept-encoding': 'gzip' });
  t.is(Buffer.from(plain.body).toString(), text);
  t.is(gunzipSync(zipped.body).toString(), text);
  t.is(plain.headers['content-encoding'], undefined);
  t.is(zipped.headers['content-encoding'], 'gzip');
  for (const answer of [plain, zipped]) {
    t.is(Number(answer.headers['content-length']), answer.body.length);
    t.is(answer.headers.vary, 'Accept-Encoding');
  }
  t.is(plain.headers.etag, `"${etagOf(text)}"`);
  t.is(zipped.headers.etag, `"${etagOf(text)}-gz"`);
});

test('an unchanged document is answered by 304 without a body, in its own encoding only', async t => {
  const request = await open(t);
  const etag = `"${etagOf(text)}"`;
  const unchanged = await request('/status/acme', { 'if-none-match': etag });
  t.is(unchanged.statusCode, 304);
  t.is(unchanged.body.length, 0);
  t.is(unchanged.headers.etag, etag);
  t.regex(unchanged.headers['cache-control'] ?? '', /s-maxage=10/);
  t.is((await request('/status/acme', { 'if-none-match': etag, 'accept-encoding': 'gzip' })).statusCode, 200);
  // A reload revalidates: it need not transfer the page again. If-None-Match makes If-Modified-Since void.
  for (const more of [{ 'cache-control': 'no-cache' }, { 'if-modified-since': 'Sat, 21 Nov 2026 14:00:00 GMT' }])
    t.is((await request('/status/acme', { 'if-none-match': etag, ...more })).statusCode, 304);
});

const instants: [header: string, status: number][] = [
  ['Sat, 21 Nov 2026 14:05:02 GMT', 304],
  ['Sat, 21 Nov 2026 15:00:00 GMT', 304],
  // It may have changed twice in this second.
  ['Sat, 21 Nov 2026 14:05:00 GMT', 200],
  ['Sat, 21 Nov 2026 14:04:59 GMT', 200],
  ['yesterday', 200],
  ['', 200],
];
for (const [since, status] of instants)
  test(`without If-None-Match, If-Modified-Since ${since} gets ${status}`, async t => {
    const request = await open(t);
    const answer = await request('/status/acme', { 'if-modified-since': since });
    t.is(answer.statusCode, status);
    t.is(answer.headers['last-modified'], 'Sat, 21 Nov 2026 14:05:02 GMT');
  });

test('every address under a former slug leads to the present one, with its query', async t => {
  const request = await open(t);
  for (const rest of ['', '/', '/feed.rss', '/incidents/inc_1', '/confirm?token=a%26b', '/x/y?a=1?b']) {
    const answer = await request(`/status/acme-former${rest}`);
    t.is(answer.statusCode, 308);
    t.is(answer.headers.location, `/status/acme${rest}`);
    // The page may get its former slug again: nobody may remember the redirect for ever.
    t.regex(answer.headers['cache-control'] ?? '', /max-age=0/);
  }
  t.is((await request('/status/acme-former2/feed.rss')).statusCode, 418);
  t.is((await request('/status/acme-former', {}, 'HEAD')).statusCode, 308);
});

test('HEAD has the headers of GET and no body', async t => {
  const request = await open(t);
  const head = await request('/status/acme', {}, 'HEAD');
  t.is(head.statusCode, 200);
  t.is(head.body.length, 0);
  t.is(Number(head.headers['content-length']), text.length);
});

test('a query is ignored, and everything that is not a cached document is left to others', async t => {
  const request = await open(t);
  t.is((await request('/status/acme?utm_source=x')).statusCode, 200);
  for (const path of ['/status/', '/status/acme/', '/status/other', '/status', '/acme', '/v0/status/acme'])
    t.is((await request(path)).statusCode, 418, path);
  t.is((await request('/status/acme', {}, 'POST')).statusCode, 418);
});

test('pages cannot run scripts, and data may be read from everywhere', async t => {
  const request = await open(t);
  const [page, data] = [await request('/status/acme'), await request('/status/acme/summary.json')];
  t.regex(
    String(page.headers['content-security-policy']),
    /^default-src 'none'; style-src 'unsafe-inline'; form-action/,
  );
  t.is(page.headers['access-control-allow-origin'], undefined);
  t.is(data.headers['access-control-allow-origin'], '*');
  for (const { headers } of [page, data]) t.is(headers['x-content-type-options'], 'nosniff');
});

test('a well-formed request id is returned, any other is replaced', async t => {
  const request = await open(t);
  const idFor = async (id: string) => (await request('/status/acme', { 'x-request-id': id })).headers['x-request-id'];
  t.is(await idFor('abc_DEF-12345'), 'abc_DEF-12345');
  for (const id of ['short', 'a'.repeat(129), 'has spaces in it']) t.regex(String(await idFor(id)), /^req_/);
});
