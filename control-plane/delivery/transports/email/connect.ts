import { connect, type Socket } from 'node:net';
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js';

type Options = Pick<SMTPPool.Options, 'host' | 'port' | 'secure' | 'connectionTimeout'>;

/**
 * Connects to the SMTP server without Nagle's algorithm: the end of a message is a packet of its own, which would wait
 * for the acknowledgement of the text before it, 40 ms for each email. TLS is added by nodemailer, which connects by
 * itself if we cannot: given our error, its pool would keep the place of that connection for ever.
 */
export function connectWithoutDelay(
  options: Options,
  callback: (error: null, opened: { connection: Socket } | false) => void,
): void {
  const port = Number(options.port) || (options.secure === true ? 465 : 587);
  const connection = connect({ host: options.host ?? 'localhost', port, noDelay: true });
  const timer = setTimeout(() => connection.destroy(new Error('no connection')), options.connectionTimeout);
  const failed = () => {
    clearTimeout(timer);
    callback(null, false);
  };
  connection.once('error', failed);
  connection.once('connect', () => {
    clearTimeout(timer);
    connection.off('error', failed);
    callback(null, { connection });
  });
}
