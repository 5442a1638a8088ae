import { once } from 'node:events';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { openSampleSite } from '#deploy/local/sample-site.ts';
import { answerA, startDnsServer } from '../support/dns-server.ts';

// The targets of P14 in a process of their own: a port that is open, a name server, a health
// service of gRPC, an echo of WebSocket, and a shop whose orders have numbers.
const server = createServer(socket => {
  socket.on('error', () => undefined);
  socket.end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const shop = createWebServer((_, response) => response.end('{"order":"17"}'));
shop.listen(0, '127.0.0.1');
await once(shop, 'listening');
const dns = await startDnsServer(answerA('192.0.2.1'));
const site = await openSampleSite(undefined);
const portOf = (of: typeof server | typeof shop) => (of.address() as AddressInfo).port;
const own = { tcp: portOf(server), shop: portOf(shop), dns: dns.port };
process.send?.({ type: 'listening', ...site.ports, ...own });
