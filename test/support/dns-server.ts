import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import packet, { type Answer, type DecodedPacket } from 'dns-packet';

/** A query as it came: `count` begins with 1 on each server, `from` and `port` say who asks, `send` answers later. */
export type DnsQuery = {
  packet: DecodedPacket;
  transport: 'udp' | 'tcp';
  count: number;
  from: string;
  port: number;
  send: (bytes: Buffer) => void;
};

/** What a server sends back, if anything; over TCP each message has its length before it. */
export type Respond = (query: DnsQuery) => readonly Buffer[];

/** A name server on loopback, over UDP and TCP at the same port. */
export async function startDnsServer(respond: Respond, host = '127.0.0.1') {
  const queries: DnsQuery[] = [];
  const sockets = new Set<Socket>();
  const answer = (
    bytes: Buffer,
    transport: DnsQuery['transport'],
    { from, port }: Pick<DnsQuery, 'from' | 'port'>,
    send: DnsQuery['send'],
  ) => {
    const query = { packet: packet.decode(bytes), transport, count: queries.length + 1, from, port, send };
    queries.push(query);
    for (const message of respond(query)) send(message);
  };
  const tcp = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const asker = { from: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 };
    socket.on('data', bytes => answer(bytes.subarray(2), 'tcp', asker, more => socket.write(more)));
  });
  tcp.listen(0, host);
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', (bytes: Buffer, { port: from, address }: RemoteInfo) =>
    answer(bytes, 'udp', { from: address, port: from }, more => udp.send(more, from, address)),
  );
  udp.bind(port, host);
  await once(udp, 'listening');
  const stop = async () => {
    udp.close();
    for (const socket of sockets) socket.destroy();
    await new Promise(resolve => tcp.close(resolve));
  };
  return { host, port, queries, [Symbol.asyncDispose]: stop };
}

type Parts = { rcode?: number; flags?: number; id?: number; question?: string };

/** An answer to a query, with these records. */
export function dnsAnswer({ packet: query, transport }: DnsQuery, answers: Answer[], parts: Parts = {}): Buffer {
  const { rcode = 0, flags = 0, id = query.id ?? 0, question } = parts;
  const questions = (query.questions ?? []).map(asked => ({ ...asked, name: question ?? asked.name }));
  const bytes = packet.encode({ type: 'response', id, flags: flags | rcode, questions, answers });
  return transport === 'tcp' ? withLength(bytes) : bytes;
}

export function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Answers every query for an address with this one. */
export function answerA(data: string, ttl = 60): Respond {
  return query => [dnsAnswer(query, [{ type: 'A', name: query.packet.questions?.[0]?.name ?? '', ttl, data }])];
}
