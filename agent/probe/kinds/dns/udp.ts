import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { errorCode } from '#shared/error-code.ts';
import { type SourceAddresses, sourceFor } from '../../egress/source.ts';
import type { Endpoint } from './endpoint.ts';

type Listener = {
  source: SourceAddresses | undefined;
  /** Checked once more for the address that the socket is connected to. */
  isAllowed: (address: string) => boolean;
  onMessage: (bytes: Buffer) => void;
  /** With a code of the system, or `EBLOCKED`. */
  onError: (code: string) => void;
};

/** Sends a datagram from a port of its own, which the system picks at random, and hears this server alone. */
export function sendDatagram({ address, port }: Endpoint, bytes: Buffer, listener: Listener): Disposable {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  let isOpen = true;
  const close = () => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  const fail = (code: string) => {
    close();
    listener.onError(code);
  };
  socket.on('message', received => {
    if (isOpen) listener.onMessage(received);
  });
  socket.on('error', error => {
    if (isOpen) fail(errorCode(error) ?? 'EUNKNOWN');
  });
  const source = sourceFor(address, listener.source);
  if (source !== undefined) socket.bind({ address: source, port: 0, exclusive: true });
  socket.connect(port, address, () => {
    if (!isOpen) return;
    if (listener.isAllowed(socket.remoteAddress().address)) socket.send(bytes);
    else fail('EBLOCKED');
  });
  return { [Symbol.dispose]: close };
}
