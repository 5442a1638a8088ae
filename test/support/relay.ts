import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP relay before one or more servers: a network that can be cut, freeze and heal, or a balancer. */
export type Relay = AsyncDisposable & {
  url: string;
  /** Resets all connections and refuses new ones. */
  cut(): void;
  /** Connections stay open and carry nothing; new ones are accepted and carry nothing. */
  freeze(): void;
  /** New connections work again. Frozen ones are reset, as their bytes were lost. */
  heal(): void;
  /** From now on new connections go to these ports; those that there are end. */
  redirect(ports: readonly number[]): void;
};

/** Relays to each of the ports in turn, past those that refuse. */
export async function startRelay(initialPorts: readonly number[]): Promise<Relay> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let ports = initialPorts;
  let turn = 0;
  const server = createServer(inbound => {
    sockets.add(inbound);
    inbound.on('error', () => undefined);
    inbound.on('close', () => sockets.delete(inbound));
    if (state === 'cut') return void inbound.resetAndDestroy();
    if (state === 'frozen') return void inbound.pause();
    turn += 1;
    dial(inbound, turn, ports.length);
  });
  const dial = (inbound: Socket, index: number, attempts: number): void => {
    if (attempts === 0) return void inbound.resetAndDestroy();
    const outbound = connect({ host: '127.0.0.1', port: ports[index % ports.length] ?? 0 });
    const next = () => dial(inbound, index + 1, attempts - 1);
    outbound.once('error', next);
    outbound.once('connect', () => {
      outbound.off('error', next);
      sockets.add(outbound);
      join(inbound, outbound);
      join(outbound, inbound);
      if (state === 'frozen') silence();
    });
  };
  const join = (from: Socket, to: Socket): void => {
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  };
  const silence = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  const drop = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      state = 'cut';
      drop();
    },
    freeze: () => {
      state = 'frozen';
      silence();
    },
    heal: () => {
      if (state === 'frozen') drop();
      state = 'open';
    },
    redirect: to => {
      ports = to;
      drop();
    },
    async [Symbol.asyncDispose]() {
      state = 'cut';
      drop();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
