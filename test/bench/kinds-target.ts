import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { openSampleSite } from '#deploy/local/sample-site.ts';
import { answerA, startDnsServer } from '../support/dns-server.ts';

// The targets of P14 in a process of their own: a port that is open, a name server, a health
// service of gRPC and an echo of WebSocket.
const server = createServer(socket => {
  socket.on('error', () => undefined);
  socket.end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const dns = await startDnsServer(answerA('192.0.2.1'));
const site = await openSampleSite(undefined);
process.send?.({ type: 'listening', tcp: (server.address() as AddressInfo).port, dns: dns.port, ...site.ports });
