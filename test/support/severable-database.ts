import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to the database that can be cut and mended, as a network or a server that goes away. */
export type SeverableDatabase = AsyncDisposable & {
  url: string;
  cut(): void;
  mend(): void;
  /** Connections of this moment carry nothing any more and stay open, as after a failover; new ones work. */
  silence(): void;
};

export async function severable(databaseUrl: string): Promise<SeverableDatabase> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let severed = false;
  const server = createServer(inbound => {
    if (severed) return void inbound.destroy();
    const outbound = connect({ host: target.hostname, port: Number(target.port) });
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    severed = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    mend: () => {
      severed = false;
    },
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
