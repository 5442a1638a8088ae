import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestCertificate } from '../support/certificate.ts';

// Its own process, so that its CPU is not counted in the figures.
const certificate: TestCertificate = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const body = JSON.stringify({ status: 'ok', filler: 'x'.repeat(2000) });
const listener: RequestListener = (_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(body);
};
const servers = { https: createHttpsServer(certificate, listener), http: createServer(listener) };
await Promise.all(
  Object.values(servers).map(server => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))),
);
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
process.stdout.write(JSON.stringify({ https: portOf(servers.https), http: portOf(servers.http) }));
