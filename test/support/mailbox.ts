import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { type ReadMail, readMail } from './mail-text.ts';

/** A mail that came in, and for whom. */
export type ReceivedMail = ReadMail & { to: string; from: string; at: number };

/** A real SMTP server on loopback. */
export type Mailbox = AsyncDisposable & {
  /** For SMTP_URL. */
  url: string;
  port: number;
  mails: ReceivedMail[];
  /** What it answers to a recipient; null takes it. May take its time. */
  refuse: (to: string) => Promise<SmtpRefusal | null> | SmtpRefusal | null;
  /** Runs before a message is taken; what it throws refuses the message. */
  beforeTaking: (to: string) => Promise<void> | void;
  /** Connections at once, at most. */
  connectionsMax: number;
  /** Mails to one address, oldest first. */
  to(address: string): ReceivedMail[];
};

export type SmtpRefusal = { code: number; text: string };

/** Starts a mailbox; `port` is for one that comes back after an outage. */
export async function startMailbox(
  options: { port?: number; user?: string; password?: string } = {},
): Promise<Mailbox> {
  let connections = 0;
  const server = new SMTPServer({
    disabledCommands: options.user === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
    authOptional: options.user === undefined,
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _, callback) => {
      if (username === options.user && password === options.password) callback(null, { user: username });
      else callback(new Error('wrong user or password'));
    },
    onConnect: (_, callback) => {
      mailbox.connectionsMax = Math.max(mailbox.connectionsMax, ++connections);
      callback();
    },
    onClose: () => {
      connections--;
    },
    onRcptTo: ({ address }, _, callback) => {
      void (async () => {
        const refusal = await mailbox.refuse(address);
        callback(refusal === null ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
      })();
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', chunk => chunks.push(chunk));
      stream.on('end', () => {
        void (async () => {
          const to = session.envelope.rcptTo[0]?.address ?? '';
          const { mailFrom } = session.envelope;
          try {
            await mailbox.beforeTaking(to);
          } catch (error) {
            return callback(error as Error);
          }
          const mail = readMail(Buffer.concat(chunks).toString('latin1'));
          mailbox.mails.push({ ...mail, to, from: mailFrom === false ? '' : mailFrom.address, at: Date.now() });
          callback();
        })();
      });
    },
  });
  // A client that is killed in the middle is no error of the mailbox.
  server.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  const login = options.user === undefined ? '' : `${options.user}:${encodeURIComponent(options.password ?? '')}@`;
  const mailbox: Mailbox = {
    url: `smtp://${login}127.0.0.1:${port}`,
    port,
    mails: [],
    refuse: () => null,
    beforeTaking: () => {},
    connectionsMax: 0,
    to: address => mailbox.mails.filter(mail => mail.to === address),
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())),
  };
  return mailbox;
}
