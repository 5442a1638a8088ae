import type { Socket } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import type { Deadline } from '../../deadline.ts';
import { dial } from '../../dial.ts';
import type { SourceAddresses } from '../../egress/source.ts';
import { BodyError, type TakeBytes } from '../../http/body-reader.ts';
import { ExchangeError } from '../../http/exchange.ts';
import type { Endpoint } from './endpoint.ts';

export type TcpOptions = Readonly<{
  isAllowed: (address: string) => boolean;
  takeBytes: TakeBytes;
  source?: SourceAddresses | undefined;
}>;

const lengthBytes = 2;

/**
 * Asks over a connection and returns the first message. Rejects with DialError, ExchangeError, BodyError or
 * DeadlineError.
 */
export async function askByTcp(
  { address, port }: Endpoint,
  query: Buffer,
  options: TcpOptions,
  deadline: Deadline,
): Promise<Buffer> {
  const { socket } = await dial(
    {
      isAllowed: options.isAllowed,
      source: options.source,
      addresses: { known: [address], later: null },
      port,
      tls: null,
      onConnect: () => undefined,
      onRefusal: () => undefined,
    },
    deadline,
  );
  try {
    return await exchangeMessage(socket, query, options, deadline);
  } finally {
    socket.destroy();
  }
}

/** Each message has its length before it (RFC 1035 §4.2.2), so that no more than 64 KiB are read. */
function exchangeMessage(
  socket: Socket,
  query: Buffer,
  { takeBytes }: Pick<TcpOptions, 'takeBytes'>,
  deadline: Deadline,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let message = Buffer.alloc(lengthBytes);
  let filled = 0;
  const onData = (chunk: Buffer) => {
    for (let rest = chunk; ; ) {
      const copied = rest.copy(message, filled);
      filled += copied;
      rest = rest.subarray(copied);
      if (filled < message.length) return;
      if (message.length > lengthBytes) return resolve(message.subarray(lengthBytes));
      const length = message.readUInt16BE();
      if (length === 0) return resolve(Buffer.alloc(0));
      if (!takeBytes(length)) return reject(new BodyError('ENOROOM'));
      message = Buffer.concat([message], lengthBytes + length);
    }
  };
  const breakOff = () => reject(new ExchangeError('ECONNRESET'));
  deadline.onExpiry(reject);
  socket.on('data', onData).on('end', breakOff).on('close', breakOff);
  socket.on('error', error => reject(new ExchangeError(errorCode(error) ?? 'ECONNRESET')));
  socket.write(Buffer.concat([lengthOf(query), query]));
  return promise;
}

function lengthOf(query: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt16BE(query.length);
  return length;
}
