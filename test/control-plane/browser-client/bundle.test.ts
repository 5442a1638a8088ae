import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { buildClient, integrityOf } from '#deploy/client/build.ts';
import { apiOf, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const bundle = readFileSync(new URL('../../../control-plane/browser-client/flows.js', import.meta.url), 'utf8');

test('the script that is served is the one its source makes, at most 3 KB packed', t => {
  t.is(bundle, buildClient(), 'run `npm run build-client`');
  t.true(gzipSync(bundle, { level: 9 }).length <= 3 * 1024);
});

test('the guide names its integrity', t => {
  const guide = readFileSync(new URL('../../../docs/browser-client.md', import.meta.url), 'utf8');
  t.true(guide.includes(`integrity="${integrityOf(bundle)}"`));
});

test('it is cached for long, packed, readable from every origin, and asked for again by its ETag', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const url = `${replica.url}/client/v0/flows.js`;
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  t.is(answer.status, 200);
  t.is(await answer.text(), bundle);
  t.regex(answer.headers.get('content-type') ?? '', /^text\/javascript/);
  t.regex(answer.headers.get('cache-control') ?? '', /public, max-age=604800/);
  t.is(answer.headers.get('access-control-allow-origin'), '*');
  t.is(answer.headers.get('cross-origin-resource-policy'), 'cross-origin');
  const etag = answer.headers.get('etag') ?? '';
  const again = await apiOf(replica.url, '')('GET', '/client/v0/flows.js', undefined, { 'if-none-match': etag });
  t.is(again.status, 304);
  const packed = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
  t.is(packed.headers.get('content-encoding'), 'gzip');
  t.is(await packed.text(), bundle);
  t.is((await fetch(url, { method: 'POST' })).status, 405);
});
