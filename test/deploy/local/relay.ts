import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { isHandOver } from '#control-plane/monitoring/agents/hand-over.ts';
import { type ChildOptions, startChild } from '#deploy/local/child.ts';

// Starts a gateway and a front as `npm start` does, and hands sockets over between them. `stop front` on standard
// input stops the front.

const [gatewayPort = '', frontPort = '', folder = ''] = process.argv.slice(2);

const start = (roles: string, port: string, onMessage: NonNullable<ChildOptions['onMessage']>) =>
  startChild({
    title: roles,
    script: new URL('../../../control-plane/main.ts', import.meta.url).pathname,
    user: null,
    env: { ...process.env, ROLES: roles, PORT: port },
    logFile: `${folder}/${roles}.log`,
    say: line => console.error(line),
    onMessage,
  });

const gateway = await start('gateway', gatewayPort, () => {});
const front = await start('front', frontPort, (message, handle) => {
  if (isHandOver(message) && handle instanceof Socket) gateway.pass(message, handle);
});
const lines = createInterface({ input: process.stdin });
lines.on('line', async () => {
  const startedMs = performance.now();
  await front.stop();
  console.log(Math.round(performance.now() - startedMs));
});
lines.on('close', async () => {
  await Promise.all([front.stop(), gateway.stop()]);
  process.exit(0);
});
