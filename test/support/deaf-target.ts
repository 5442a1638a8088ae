import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';

// It never takes a connection from its queue, which has space for two.
const program = `
  const server = require('node:net').createServer();
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** A port of 127.0.0.1 that answers no connection attempt. */
export async function startDeafTarget(): Promise<AsyncDisposable & { port: number }> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = await once(child.stdout, 'data');
  const port = Number(text);
  const queued = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(queued.map(socket => once(socket, 'connect')));
  for (const socket of queued) socket.on('error', () => undefined);
  const stop = async () => {
    for (const socket of queued) socket.destroy();
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { port, [Symbol.asyncDispose]: stop };
}
