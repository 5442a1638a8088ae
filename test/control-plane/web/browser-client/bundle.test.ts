import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { buildClient, buildName, integrityOf } from '#deploy/client/build.ts';
import { apiOf } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const bundle = readFileSync(new URL('../../../../control-plane/web/browser-client/flows.js', import.meta.url), 'utf8');

test('the script that is served is the one its source makes, at most 3 KB packed', t => {
  t.is(bundle, buildClient(), 'run `npm run build-client`');
  t.true(gzipSync(bundle, { level: 9 }).length <= 3 * 1024);
});

test('the guide names its path and its integrity', t => {
  const guide = readFileSync(new URL('../../../../docs/browser-client.md', import.meta.url), 'utf8');
  t.true(guide.includes(`integrity="${integrityOf(bundle)}"`));
  t.true(guide.includes(`/client/v0/${buildName(bundle)}"`));
});

test('each build that is kept has the name of its content, and this one is kept', async t => {
  const builds = new URL('../../../../control-plane/web/browser-client/builds/', import.meta.url);
  const names = readdirSync(builds);
  t.true(names.includes(buildName(bundle)));
  for (const name of names) t.is(buildName(readFileSync(new URL(name, builds), 'utf8')), name);
  const replica = await sharedReplica(databaseOf());
  for (const name of names) {
    const answer = await fetch(`${replica.url}/client/v0/${name}`);
    t.is(answer.status, 200);
    t.is(buildName(await answer.text()), name);
    t.regex(answer.headers.get('cache-control') ?? '', /public, max-age=31536000, immutable/);
    t.is(answer.headers.get('access-control-allow-origin'), '*');
  }
  t.is((await fetch(`${replica.url}/client/v0/flows-000000000000.js`)).status, 404);
});

test('it is cached for long, packed, readable from every origin, and asked for again by its ETag', async t => {
  const replica = await sharedReplica(databaseOf());
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
