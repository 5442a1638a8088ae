import { openOrNull } from '../../../access/invitations/invitation.ts';
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
  const secret = openMailed((payload as { sealed: string }).sealed, recipient, keyring);
  const link = { projectId, id: recipient, hash: hashBearer(secret) };
  const invitation = openOrNull(await findMailedInvitation(sql, link, nowMs), nowMs);
  const project = await findProject(sql, projectId);
  if (invitation?.proven_email == null || project === null)
    return cancelled('the invitation is not open any more, or was sent again');
  const { role, expires_at: expiresAt, asked, proven_email: to } = invitation;
  const about = { project: project.name, by: invitation.invited_by.name, role, expiresAt, asked };
  return mailer.send(invitationEmail(about, baseUrl, { to, token: secret, deliveryId: id }));
}
