import { createTransport } from 'nodemailer';
import SMTPPool from 'nodemailer/lib/smtp-pool/index.js';
import { wait } from '#shared/wait.ts';
import type { Outcome } from '../outcome.ts';
import { connectWithoutDelay } from './connect.ts';
import { type Email, encodeLookAlike, joinLookAlike } from './email.ts';
import { type Blame, blameOf, outcomeOf, readSmtpError, type SmtpFailure } from './smtp-answer.ts';

/** Sees what the SMTP server does with all emails, and says whose a failure is. */
export type RelayWatch = {
  /** An email whose sending began then was accepted. */
  accepted(startedMs: number): void;
  blame(failure: SmtpFailure, email: { to: string; deliveryId: string }): Promise<Blame>;
};

/** Sends emails through an SMTP server, whose failures become outcomes. `close` ends its connections. */
export type Mailer = { send(email: Email): Promise<Outcome>; close(): void };

/** Why emails are on hold without an SMTP server. */
export const emailNotConfigured = 'email is not configured: SMTP_URL is not set';

/** Emails in flight at once, each on a connection of the pool. */
export const emailConcurrency = 10;

// Together they stay below a delivery's lease.
const sendTimeoutMs = 20_000;
const limits = { connectionTimeout: 8000, greetingTimeout: 8000, socketTimeout: 12_000, dnsTimeout: 5000 };

/** The key that signs emails, RFC 6376; its public half is in the DNS at `<selector>._domainkey.<domain>`. */
export type DkimKey = { domain: string; selector: string; privateKey: string };

/**
 * The fields that a signature covers: those of RFC 4871, section 5.5, and the one that receivers of a one-click
 * unsubscription require in it (RFC 8058, section 4), which nodemailer leaves out.
 */
const signedFields = [
  ...['From', 'Sender', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'To', 'Cc', 'MIME-Version', 'Content-Type'],
  ...['Content-Transfer-Encoding', 'Content-ID', 'Content-Description', 'Resent-Date', 'Resent-From', 'Resent-Sender'],
  ...['Resent-To', 'Resent-Cc', 'Resent-Message-ID', 'In-Reply-To', 'References', 'List-Id', 'List-Help'],
  ...['List-Unsubscribe', 'List-Unsubscribe-Post', 'List-Subscribe', 'List-Post', 'List-Owner', 'List-Archive'],
].join(':');

/**
 * Opens no connection before the first email. `from` is the bare address; the name beside it is the page's. Beyond this
 * machine nothing is sent without TLS, unless the URL says `?ignoreTLS=true`. Without `relay`, each
 * failure is judged by itself.
 */
export function createMailer(
  smtpUrl: string,
  from: string,
  dkim: DkimKey | null = null,
  relay: RelayWatch | null = null,
): Mailer {
  const transport = openTransport(smtpUrl);
  const signing = dkim === null ? {} : { dkim: signingOptions(dkim) };
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const id = (local: string) => `<${local}@${domain}>`;
  return {
    send: async email => {
      const startedMs = Date.now();
      const thread = email.threadId === null ? {} : { inReplyTo: id(email.threadId), references: id(email.threadId) };
      const sending = transport.sendMail({
        from: { name: joinLookAlike(email.fromName), address: from },
        to: { name: '', address: email.to },
        envelope: { from, to: [email.to] },
        subject: encodeLookAlike(email.subject),
        text: email.text,
        html: email.html,
        messageId: id(email.messageId),
        ...thread,
        ...signing,
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(email.listId === null ? {} : { 'List-Id': { prepared: true, value: `<${email.listId}.${domain}>` } }),
          ...unsubscribeHeaders(email.unsubscribeUrl),
        },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return Promise.race([
        sending.then(
          (): Outcome => {
            relay?.accepted(startedMs);
            return { type: 'sent' };
          },
          error => judgeError(error, email, relay),
        ),
        wait(sendTimeoutMs, { ref: false }).then(() => timedOut),
      ]);
    },
    close: () => transport.close(),
  };
}

async function judgeError(error: unknown, { to, messageId }: Email, relay: RelayWatch | null): Promise<Outcome> {
  if (relay === null) return classifySmtpError(error, to);
  const failure = readSmtpError(error, to);
  return outcomeOf(failure, await relay.blame(failure, { to, deliveryId: messageId }));
}

function signingOptions({ domain, selector, privateKey }: DkimKey) {
  return { domainName: domain, keySelector: selector, privateKey, headerFieldNames: signedFields };
}

/** Connects, with TLS and the login where emails would have them, and sends nothing. Throws what the server says. */
export async function verifySmtp(smtpUrl: string): Promise<void> {
  const transport = openTransport(smtpUrl);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function openTransport(smtpUrl: string) {
  // Given a URL, createTransport would drop all other options.
  return createTransport(
    new SMTPPool({
      pool: true,
      url: smtpUrl,
      maxConnections: emailConcurrency,
      requireTLS: !isLoopback(new URL(smtpUrl).hostname),
      getSocket: connectWithoutDelay,
      ...limits,
    }),
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

const timedOut: Outcome = { type: 'failed', error: 'the SMTP server timed out', retryAfterMs: null, ours: true };

/** One-click unsubscription, RFC 8058. */
function unsubscribeHeaders(url: string | null) {
  if (url === null) return {};
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>` },
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/** What an SMTP error means for its delivery, judged by itself. */
export function classifySmtpError(error: unknown, recipient: string): Outcome {
  const failure = readSmtpError(error, recipient);
  return outcomeOf(failure, blameOf(failure));
}
