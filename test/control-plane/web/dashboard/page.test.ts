import { brotliDecompressSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import got from 'got';
import { startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

test('the page and its files allow neither other origins nor inline code', async t => {
  const url = await open(t);
  const page = await read(url, '/');
  t.is(page.status, 200);
  const addresses = [...page.text.matchAll(/(?:href|src)="([^"]*)"/g)].map(match => match[1] ?? '');
  t.true(addresses.length > 3);
  t.true(addresses.every(address => address.startsWith('/dashboard/assets/')));
  t.notRegex(page.text, /<script(?![^>]*\bsrc=)|<style|style="|\son\w+=/i);
  for (const path of ['/', ...addresses]) {
    const { status, headers } = await read(url, path);
    t.is(status, 200, path);
    const policy = String(headers['content-security-policy']);
    t.true(
      policy.startsWith(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      ),
      path,
    );
    t.notRegex(policy, /unsafe|https?:|\*/);
    t.is(headers['referrer-policy'], 'no-referrer');
    t.is(headers['x-content-type-options'], 'nosniff');
    t.is(headers['cross-origin-opener-policy'], 'same-origin');
    t.is(headers['set-cookie'], undefined);
  }
});

test('files are cached forever under their hash, compressed, and not sent again unchanged', async t => {
  const url = await open(t);
  const page = await read(url, '/');
  t.is(page.headers['cache-control'], 'no-cache');
  const path = /src="([^"]*app\.js)"/.exec(page.text)?.[1] ?? '';
  const file = await read(url, path);
  t.is(file.headers['cache-control'], 'public, max-age=31536000, immutable');
  t.is(file.headers['content-type'], 'text/javascript; charset=utf-8');
  const again = await read(url, path, { 'if-none-match': String(file.headers.etag) });
  t.is(again.status, 304);
  t.is(again.text, '');
  const compressed = await got(new URL(path, url), {
    headers: { 'accept-encoding': 'br' },
    decompress: false,
    responseType: 'buffer',
  });
  t.is(compressed.headers['content-encoding'], 'br');
  t.is(brotliDecompressSync(compressed.rawBody).toString(), file.text);
  const nested = await read(url, path.replace('app.js', 'app.css'));
  t.is(nested.headers['cache-control'], 'public, max-age=31536000, immutable');
  t.not(nested.headers.etag, file.headers.etag);
  const other = await read(url, path.replace(/assets\/\w+/, 'assets/0000000000000000'));
  t.is(other.text, file.text);
  t.is(other.headers['cache-control'], 'no-cache');
});

test('only files of the dashboard are served', async t => {
  const url = await open(t);
  for (const path of [
    'nothing.js',
    'main.tsx',
    '..%2froutes.ts',
    '%2e%2e/routes.ts',
    'features/../../routes.ts',
    'features/monitors/..%2f..%2f..%2froutes.ts',
    'session/%2e%2e/%2e%2e/%2e%2e/%2e%2e/package.json',
    'features',
    'features/monitors/',
    'tsconfig.json',
    'uplot.d.ts',
    '',
  ])
    t.is((await read(url, `/dashboard/assets/x/${path}`)).status, 404, path);
  t.is((await got(url, { method: 'POST', throwHttpErrors: false, retry: { limit: 0 } })).statusCode, 405);
});

async function open(t: ExecutionContext): Promise<string> {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  return replica.url;
}

async function read(url: string, path: string, headers: Record<string, string> = {}) {
  const answer = await got(new URL(path, url), {
    headers,
    throwHttpErrors: false,
    retry: { limit: 0 },
    decompress: true,
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}
