import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What a proxy of a test was asked for, and where it leads. */
export type TestProxy = AsyncDisposable & {
  port: number;
  /** `host:port` of each tunnel and URL of each request to forward, in order. */
  asked: string[];
  /** Values of `Proxy-Authorization`, or name and password of SOCKS5; null without any. */
  signedIn: (string | null)[];
};

type Options = {
  /** The port of loopback that all names lead to; `null`: nowhere. */
  leadsTo: number | null;
  /** What the proxy does in place of its work. */
  instead?: ((socket: Socket) => void) | undefined;
};

/** An HTTP proxy on loopback: it makes tunnels and forwards requests. */
export async function startHttpProxy({ leadsTo, instead }: Options): Promise<TestProxy> {
  return await startProxy(async (socket, proxy) => {
    const head = await headOf(socket);
    const [, method = '', target = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
    proxy.asked.push(target);
    proxy.signedIn.push(/^Proxy-Authorization: (.*)\r$/im.exec(head)?.[1] ?? null);
    if (instead !== undefined) return instead(socket);
    const upstream = connect(leadsTo ?? 0, '127.0.0.1');
    upstream.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
    await once(upstream, 'connect');
    if (method === 'CONNECT') socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    else upstream.write(head.replace(/^(\S+) https?:\/\/[^/]+/, '$1 ').replace(/^Proxy-Authorization: .*\r\n/im, ''));
    join(socket, upstream);
  });
}

/** A SOCKS5 proxy on loopback; with `login` it asks for name and password. `reply`: the code of its answer. */
export async function startSocksProxy({
  leadsTo,
  instead,
  login = null,
  reply = 0,
}: Options & { login?: string | null; reply?: number }): Promise<TestProxy> {
  return await startProxy(async (socket, proxy) => {
    if (instead !== undefined) return instead(socket);
    const [, count = 0] = await take(socket, 2);
    const methods = [...(await take(socket, count))];
    const method = login === null ? 0 : 2;
    socket.write(Buffer.from([5, methods.includes(method) ? method : 0xff]));
    if (!methods.includes(method)) return;
    if (login === null) proxy.signedIn.push(null);
    else {
      await take(socket, 1);
      const given = `${await text(socket)}:${await text(socket)}`;
      proxy.signedIn.push(given);
      socket.write(Buffer.from([1, given === login ? 0 : 1]));
      if (given !== login) return void socket.end();
    }
    const [, , , kind] = await take(socket, 4);
    const host = kind === 3 ? await text(socket) : [...(await take(socket, kind === 1 ? 4 : 16))].join('.');
    proxy.asked.push(`${host}:${(await take(socket, 2)).readUInt16BE()}`);
    const answer = Buffer.from([5, reply, 0, 1, 127, 0, 0, 1, 0, 80]);
    if (reply !== 0) return void socket.end(answer);
    const upstream = connect(leadsTo ?? 0, '127.0.0.1');
    await once(upstream, 'connect');
    socket.write(answer);
    join(socket, upstream);
  });
}

async function startProxy(serve: (socket: Socket, proxy: TestProxy) => Promise<void>): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket, proxy).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TestProxy = {
    port: (server.address() as AddressInfo).port,
    asked: [],
    signedIn: [],
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return proxy;
}

function join(socket: Socket, upstream: Socket): void {
  for (const [one, other] of [
    [socket, upstream],
    [upstream, socket],
  ] as const)
    one.on('close', () => other.destroy()).on('error', () => undefined);
  socket.pipe(upstream).pipe(socket);
}

async function headOf(socket: Socket): Promise<string> {
  let head = '';
  while (!head.endsWith('\r\n\r\n')) head += (await take(socket, 1)).toString('latin1');
  return head;
}

async function text(socket: Socket): Promise<string> {
  const [length = 0] = await take(socket, 1);
  return length === 0 ? '' : (await take(socket, length)).toString();
}

async function take(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null;
    if (bytes !== null) return bytes;
    await once(socket, 'readable');
  }
}
