import { createHash } from 'node:crypto';
import type { Outcome } from '../outcome.ts';

/** How far an email came before the SMTP server, or the way to it, failed. */
type Stage = 'connection' | 'sender' | 'recipient' | 'message';

/** Why an email was not accepted. */
export type SmtpFailure = {
  stage: Stage;
  /** The reply's code; null if there was none. */
  code: number | null;
  /** The enhanced code of the reply, RFC 3463, without its class: `1.1` of 5.1.1. */
  detail: string | null;
  /** For people: without addresses. */
  error: string;
};

/** Whose the failure is. `relay`: our SMTP server, or the way to it. `message`: it would be refused again. */
export type Blame = 'recipient' | 'relay' | 'message';

/** So many recipients with one answer within a minute, and nothing accepted since, are not to blame. */
const severalRecipients = 3;
export const togetherMs = 60_000;

/** Bad addresses (but 1.7 and 1.8, the sender's), mailboxes that are disabled or full. */
const ofRecipient = /^(1\.(?![78]$)\d+|2\.[12])$/;
/** Content that nobody takes, and messages that are too large. */
const ofMessage = /^(6\.\d+|3\.4)$/;
/** Status of the network, the protocol and the policy; with the sender's addresses. */
const ofRelay = /^([3457]\.\d+|1\.[78])$/;
/** Without an enhanced code: mailbox not found, not local, full, or its name not allowed (RFC 5321, section 4.2.3). */
const mailboxCodes: ReadonlySet<number> = new Set([550, 551, 552, 553]);

/** Pure: whose a failure is, as far as one answer says. What comes before the recipient is the relay's. */
export function blameOf({ stage, code, detail }: SmtpFailure): Blame {
  if (stage === 'connection' || stage === 'sender') return 'relay';
  if (code === null) return 'message';
  if (stage === 'message')
    return detail !== null && ofRelay.test(detail) && !ofMessage.test(detail) ? 'relay' : 'message';
  if (detail !== null) return ofRecipient.test(detail) ? 'recipient' : 'relay';
  return mailboxCodes.has(code) ? 'recipient' : 'relay';
}

/**
 * Whether an answer says by itself whose the failure is. Others do together: a greylisted recipient is no failure, and
 * a 550 without an enhanced code may be anybody's.
 */
export function isCertain(failure: SmtpFailure): boolean {
  const { stage, code, detail } = failure;
  if (stage === 'sender' || stage === 'connection') return true;
  if (code !== null && code < 500) return false;
  const blame = blameOf(failure);
  return blame === 'relay' || (blame === 'recipient' && detail !== null);
}

/** Pure: what becomes of the delivery. The relay's failures are retried, whatever the code. */
export function outcomeOf({ code, error }: SmtpFailure, blame: Blame): Outcome {
  const ours = blame !== 'recipient';
  return blame === 'relay' || (code !== null && code < 500)
    ? { type: 'failed', error, retryAfterMs: null, ours }
    : { type: 'refused', error, gone: false, ours };
}

/**
 * Whether an answer is the relay's since others got it, too. `recipients` got it within a minute of `refusedAt`, when
 * this delivery did first, and after the start of the last email that the relay accepted.
 */
export function isBurst(seen: { recipients: number; refusedAt: number; acceptedAt: number | null }): boolean {
  return seen.recipients >= severalRecipients && (seen.acceptedAt === null || seen.acceptedAt < seen.refusedAt);
}

/** What nodemailer throws. */
type SmtpError = { code?: string; command?: string; responseCode?: number; response?: string };

export function readSmtpError(error: unknown, recipient: string): SmtpFailure {
  const { code: kind = '', command, responseCode, response = '' } = error as SmtpError;
  const code = responseCode ?? null;
  const stage = stageOf(kind, command);
  if (stage === 'connection') {
    const failed = `sending through the SMTP server failed (${kind || 'unknown'})`;
    return { stage, code, detail: null, error: failed };
  }
  const refused = `the SMTP server refused the ${stage}${code !== null && code < 500 ? ' for now' : ''}`;
  const reply = code === null ? '' : `: ${hideAddresses(response, recipient).slice(0, 200)}`;
  const detail = /^\d{3}[ -][245]\.(\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null;
  return { stage, code, detail, error: `${refused}${reply}` };
}

function stageOf(kind: string, command: string | undefined): Stage {
  if (kind === 'EMESSAGE' || (kind === 'EENVELOPE' && command === 'DATA')) return 'message';
  if (kind !== 'EENVELOPE') return 'connection';
  return command === 'MAIL FROM' ? 'sender' : 'recipient';
}

/** The same for answers that differ in what servers count up, such as queue ids and times. */
export function answerHash({ error }: SmtpFailure): Buffer {
  const words = error.split(' ').map(word => (/\d/.test(word) && !/^[245](\d\d|\.\d+\.\d+)$/.test(word) ? '0' : word));
  return createHash('sha256').update(words.join(' ')).digest();
}

function hideAddresses(text: string, recipient: string): string {
  return text
    .replaceAll(recipient, '…')
    .replace(/[^\s<>@]+@[^\s<>@]+/g, '…')
    .replace(/[\p{Cc}\s]+/gu, ' ');
}
