import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { answerA, startDnsServer } from '../support/dns-server.ts';

// The targets of P14 in a process of their own: a port that is open, and a name server.
const server = createServer(socket => {
  socket.on('error', () => undefined);
  socket.end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const dns = await startDnsServer(answerA('192.0.2.1'));
process.send?.({ type: 'listening', tcp: (server.address() as AddressInfo).port, dns: dns.port });
