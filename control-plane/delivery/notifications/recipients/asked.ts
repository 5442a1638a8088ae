import { joinUrl } from '../../../access/invitations/invitation.ts';
import { insertLink, listVerified } from '../../../access/people/store.ts';
import { mailedLinkMs, openAsked } from '../../../access/sign-in/mailed-link.ts';
import { hashBearer, newBearer } from '../../../platform/secrets/bearer.ts';
import { emailNotConfigured } from '../../transports/email/send.ts';
import { cancelled, type Outcome } from '../../transports/outcome.ts';
import type { Delivery } from '../delivery.ts';
import { type SignInLink, signInEmail } from '../email/sign-in.ts';
import type { InvitedServices } from './invited.ts';
import type { Recipient } from './recipient.ts';

/** Whoever asked for a sign-in link by email, if their address is somebody's. */
export function askedRecipient(services: InvitedServices): Recipient {
  return { attempt: (delivery, nowMs) => sendLinks(services, delivery, nowMs), settled: async () => {} };
}

async function sendLinks(
  { sql, mailer, keyring, baseUrl }: InvitedServices,
  { id, recipient, payload, created_at: askedAt }: Delivery,
  nowMs: number,
): Promise<Outcome> {
  if (mailer === null) return cancelled(emailNotConfigured);
  if (nowMs - askedAt >= mailedLinkMs) return cancelled('nobody waits for it any more');
  const email = openAsked((payload as { sealed: string }).sealed, recipient, keyring);
  const links: SignInLink[] = [];
  for (const { id: personId, name } of await listVerified(sql, email)) {
    const secret = newBearer('upi');
    await insertLink(sql, { personId, hash: hashBearer(secret), expiresAt: nowMs + mailedLinkMs }, nowMs);
    links.push({ name, url: joinUrl(baseUrl, secret) });
  }
  if (links.length === 0) return cancelled('nobody has shown that the address is theirs');
  return mailer.send(signInEmail(links, baseUrl, { to: email, deliveryId: id }));
}
