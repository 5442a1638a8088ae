import test from 'ava';
import { createApp } from '#control-plane/platform/http/app.ts';
import { createLog } from '#shared/log.ts';

test('a client that leaves before its answer has ended is no error, and anything else is', t => {
  const lines: { level: number; err: { message: string } }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ name: 'test', level: 'debug', destination });
  const app = createApp([], { log, publicRoutes: [] } as never);
  app.emit('error', Object.assign(new Error('left'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }));
  app.emit('error', Object.assign(new Error('broken'), { code: 'ECONNREFUSED' }));
  t.deepEqual(
    lines.map(({ level, err }) => [level, err.message]),
    [
      [20, 'left'],
      [50, 'broken'],
    ],
  );
});
