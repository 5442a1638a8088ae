import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { mock } from 'node:test';
import test from 'ava';
import pino from 'pino';
import { startHeartbeat } from '#agent/heartbeat.ts';
import { until } from '../support/control-plane.ts';

test.serial('a heartbeat file is touched at the start and every ten seconds, until the agent stops', async t => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const folder = await mkdtemp(join(tmpdir(), 'heartbeat-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'heartbeat');
  const long = new Date('2026-01-01T00:00:00Z');
  const isRecent = () =>
    stat(file).then(
      ({ mtime }) => mtime > long,
      () => false,
    );
  {
    using _ = startHeartbeat(file, pino({ level: 'silent' }));
    await until(isRecent, true);
    t.is(await readFile(file, 'utf8'), '');
    await utimes(file, long, long);
    mock.timers.tick(10_000);
    await until(isRecent, true);
    await utimes(file, long, long);
  }
  mock.timers.tick(10_000);
  t.false(await isRecent());
});

test.serial('a heartbeat file that cannot be written is logged once, and the agent goes on', async t => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const lines: string[] = [];
  const log = pino(
    new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  using _ = startHeartbeat('/proc/no-such-folder/heartbeat', log);
  await until(() => lines.length, 1);
  mock.timers.tick(30_000);
  t.regex(lines.join(''), /the heartbeat file cannot be written/);
});
