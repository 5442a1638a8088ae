import { connect } from 'node:net';
import test from 'ava';
import { startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const database = useDatabase(test);
const size = 15_800;
/** A request that is quadratic in one header or in its path cost 100 ms; this one includes the client's side. */
const cpuMsMax = 60;

/** Sends the bytes and resolves when the server has closed the connection. */
function exchange(port: number, head: string): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    socket.resume();
    socket.on('error', () => {});
    socket.once('close', () => resolve());
  });
}

test('runs of odd bytes in the path and in every header cost nothing, whoever sends them', async t => {
  const world = await openStatusWorld(t, database());
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const path = `/status/${world.page.slug}`;
  const names = [
    ...['Accept-Encoding', 'Accept', 'If-None-Match', 'Authorization', 'Cookie', 'Content-Type', 'Origin'],
    ...['Accept-Language', 'X-Forwarded-For', 'Idempotency-Key', 'If-Match', 'If-Modified-Since', 'X-Request-Id'],
  ];
  const heads = [' ', '\t', '/', ',', ';', '"', '=', '.', 'W/'].flatMap(byte => {
    const run = byte.repeat(Math.floor(size / byte.length));
    const line = (target: string, header: string) =>
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n\r\n`;
    const inPath = /[ \t]/.test(byte) ? [] : [line(`/status/${run}a/`, ''), line(`/v0/${run}x${run.slice(0, 10)}`, '')];
    return [
      ...inPath,
      ...names.flatMap(name => [line(path, `${name}: a${run}b`), line('/v0/project', `${name}: a${run}b`)]),
    ];
  });
  await exchange(replica.port, heads[0] ?? '');
  for (const head of heads) {
    const ms = await leastThreadMs(cpuMsMax, () => exchange(replica.port, head));
    t.true(ms < cpuMsMax, `${ms} ms for ${head.slice(0, 40)}… ${head.slice(-30)}`);
  }
});
