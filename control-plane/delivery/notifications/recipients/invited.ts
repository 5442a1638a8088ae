import { stateOf } from '../../../access/invitations/invitation.ts';
import { openMailed } from '../../../access/invitations/mail.ts';
import { findMailedInvitation } from '../../../access/invitations/store.ts';
import { findProject } from '../../../platform/projects/store.ts';
import { hashBearer } from '../../../platform/secrets/bearer.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { emailNotConfigured } from '../../transports/email/send.ts';
import { cancelled, type Outcome } from '../../transports/outcome.ts';
import type { Delivery } from '../delivery.ts';
import { invitationEmail } from '../email/invitation.ts';
import type { PersonServices } from './person.ts';
import type { Recipient } from './recipient.ts';

export type InvitedServices = PersonServices & { keyring: Keyring };

/** Whoever is invited by their address. */
export function invitedRecipient(services: InvitedServices): Recipient {
  return { attempt: (delivery, nowMs) => sendInvitation(services, delivery, nowMs), settled: async () => {} };
}

async function sendInvitation(
  { sql, mailer, keyring, baseUrl }: InvitedServices,
  { id, project_id: projectId, recipient, payload }: Delivery,
  nowMs: number,
): Promise<Outcome> {
  if (mailer === null) return cancelled(emailNotConfigured);
  const invitation = await findMailedInvitation(sql, projectId, recipient);
  const project = await findProject(sql, projectId);
  if (invitation?.email == null || project === null || stateOf(invitation, nowMs) !== 'open')
    return cancelled('the invitation is not open any more');
  const secret = openMailed((payload as { sealed: string }).sealed, recipient, keyring);
  if (invitation.mail_hash?.equals(hashBearer(secret)) !== true) return cancelled('the invitation was sent again');
  const { role, expires_at: expiresAt } = invitation;
  const about = { project: project.name, by: invitation.invited_by.name, role, expiresAt };
  return mailer.send(invitationEmail(about, baseUrl, { to: invitation.email, token: secret, deliveryId: id }));
}
