import { setTimeout as wait } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { Outcome } from './delivery.ts';
import type { Mail } from './mail-message.ts';

/** Hands mails to the SMTP server. */
export type Mailer = { send(mail: Mail): Promise<Outcome>; close(): void };

/** Mails under way at once, each on a connection of the pool. */
export const mailPlaces = 10;

// All of them together stay below a delivery's lease.
const sendWithinMs = 20_000;
const limits = { connectionTimeout: 8000, greetingTimeout: 8000, socketTimeout: 12_000, dnsTimeout: 5000 };

/** `from` is the address alone; the name beside it is the page's. */
export function createMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({ url: smtpUrl, pool: true, maxConnections: mailPlaces, ...limits });
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const id = (local: string) => `<${local}@${domain}>`;
  return {
    send: async mail => {
      const thread = mail.threadId === null ? {} : { inReplyTo: id(mail.threadId), references: id(mail.threadId) };
      const sending = transport.sendMail({
        from: { name: mail.fromName, address: from },
        to: { name: '', address: mail.to },
        envelope: { from, to: [mail.to] },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: id(mail.messageId),
        ...thread,
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(mail.unsubscribeUrl === null
            ? {}
            : {
                'List-Unsubscribe': { prepared: true, value: `<${mail.unsubscribeUrl}>` },
                'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
              }),
        },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return Promise.race([
        sending.then(
          (): Outcome => ({ type: 'sent' }),
          error => classifyMailFault(error, mail.to),
        ),
        wait(sendWithinMs, timedOut, { ref: false }),
      ]);
    },
    close: () => transport.close(),
  };
}

const timedOut: Outcome = { type: 'failed', error: 'the mail server took too long', retryAfterMs: null, ours: true };

/**
 * What a fault of SMTP means, RFC 5321: 5xx to the recipient is for good, 4xx may get better. What happens before the
 * recipient was named, or to the text, is not the recipient's fault. The server's words are kept without the address.
 */
export function classifyMailFault(error: unknown, recipient: string): Outcome {
  const {
    code = '',
    responseCode,
    response = '',
  } = error as {
    code?: string;
    responseCode?: number;
    response?: string;
  };
  const said = responseCode === undefined ? '' : `: ${hideAddresses(response, recipient).slice(0, 200)}`;
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    const ours = code === 'EMESSAGE' || responseCode === undefined;
    const what = code === 'EMESSAGE' ? 'the mail server refused the message' : 'the mail server refused the recipient';
    if (responseCode !== undefined && responseCode < 500)
      return { type: 'failed', error: `${what} for now${said}`, retryAfterMs: null, ours };
    return { type: 'refused', error: `${what}${said}`, gone: false, ours };
  }
  return {
    type: 'failed',
    error: `the mail server could not be used (${code || 'unknown'})`,
    retryAfterMs: null,
    ours: true,
  };
}

function hideAddresses(text: string, recipient: string): string {
  return text
    .replaceAll(recipient, '…')
    .replace(/[^\s<>@]+@[^\s<>@]+/g, '…')
    .replace(/[\p{Cc}\s]+/gu, ' ');
}
