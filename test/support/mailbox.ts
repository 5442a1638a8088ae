import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { type ReadMail, readMail } from './mail-text.ts';

/** An email as it arrived, with its envelope; `at` is in milliseconds since the epoch. */
export type ReceivedEmail = ReadMail & { to: string; from: string; at: number };

/** A real SMTP server on loopback; disposing closes it. */
export type Mailbox = AsyncDisposable & {
  /** For SMTP_URL. */
  url: string;
  port: number;
  emails: ReceivedEmail[];
  /** Its answer to a recipient; null accepts. */
  refuse: (to: string) => Promise<SmtpRefusal | null> | SmtpRefusal | null;
  /** Its answer to the sender, before there is a recipient; null accepts. */
  refuseSender: () => SmtpRefusal | null;
  /** Runs before a message is accepted; throwing refuses the message. */
  beforeAccepting: (to: string) => Promise<void> | void;
  /** The largest number of simultaneous connections. */
  connectionsMax: number;
  /** Emails to one address, oldest first. */
  to(address: string): ReceivedEmail[];
};

export type SmtpRefusal = { code: number; text: string };

/** Starts a mailbox; give the `port` of an earlier one to end its outage. */
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
    onMailFrom: (_, __, callback) => {
      const refusal = mailbox.refuseSender();
      callback(refusal === null ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
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
            await mailbox.beforeAccepting(to);
          } catch (error) {
            return callback(error as Error);
          }
          const email = readMail(Buffer.concat(chunks).toString('latin1'));
          mailbox.emails.push({ ...email, to, from: mailFrom === false ? '' : mailFrom.address, at: Date.now() });
          callback();
        })();
      });
    },
  });
  // A client that is killed in mid-session is not an error of the mailbox.
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
    emails: [],
    refuse: () => null,
    refuseSender: () => null,
    beforeAccepting: () => {},
    connectionsMax: 0,
    to: address => mailbox.emails.filter(email => email.to === address),
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())),
  };
  return mailbox;
}
