import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

test('long answers are compressed as the client wants them, short ones and those to changes are not', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  for (let index = 0; index < 3; index++) await world.post({ name: `m${index}` });
  const get = (path: string, encoding: string, method = 'GET') =>
    new Promise<{ encoding: string | undefined; vary: string | undefined; body: Buffer }>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${world.token}`, 'Accept-Encoding': encoding };
      request(`${world.url}${path}`, { method, headers }, async response => {
        const { vary, 'content-encoding': given } = response.headers;
        resolve({ encoding: given, vary, body: await buffer(response) });
      })
        .on('error', reject)
        .end();
    });
  const plain = await get('/v0/monitors', 'identity');
  t.is(plain.encoding, undefined);
  t.is(plain.vary, 'Accept-Encoding');
  const zipped = await get('/v0/monitors', 'gzip');
  t.is(zipped.encoding, 'gzip');
  t.deepEqual(gunzipSync(zipped.body), plain.body);
  t.true(zipped.body.length < plain.body.length / 2);
  const brotli = await get('/v0/monitors', 'gzip, br');
  t.is(brotli.encoding, 'br');
  t.deepEqual(brotliDecompressSync(brotli.body), plain.body);
  t.is((await get('/v0/monitors', 'gzip;q=0, br;q=0')).encoding, undefined);
  t.is((await get('/v0/labels', 'gzip')).encoding, undefined);
  t.is((await get('/v0/flows', 'gzip', 'POST')).encoding, undefined);
});
