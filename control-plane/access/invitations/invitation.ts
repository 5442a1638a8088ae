import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Fields } from '../../platform/audit/entry.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { type Role, roles } from '../../platform/projects/roles.ts';

/** An address to write to, never who somebody is: the domain is lower-case. */
export const personEmailSchema = z
  .email()
  .max(254)
  .transform(text => `${text.slice(0, text.lastIndexOf('@'))}${text.slice(text.lastIndexOf('@')).toLowerCase()}`);

const invitationStates = ['open', 'accepted', 'revoked', 'expired'] as const;

export const invitationSchema = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    role: z.enum(roles),
    state: z.enum(invitationStates),
    invited_by: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }),
    accepted_by: z.string().nullable(),
    expires_at: z.string(),
    mailed: z.boolean().describe('Whether an email with a link of its own was queued to the address.'),
    created_at: z.string(),
    url: z.string().optional().describe('The link that joins the project, once. It is shown only here.'),
  })
  .meta({ title: 'Invitation' });
export type InvitationView = z.infer<typeof invitationSchema>;

export const invitationPostSchema = z
  .object({
    role: z.enum(roles),
    email: personEmailSchema.nullable().default(null),
    name: lineSchema(100).nullable().default(null),
    expires_in_days: z.int().min(1).max(30).default(7),
  })
  .meta({
    [readOnlyKey]: ['id', 'state', 'invited_by', 'accepted_by', 'expires_at', 'mailed', 'created_at', 'url'],
  });

/** Who invited: a person, a token, or the operator by a command. */
export type Inviter = { type: 'person' | 'token' | 'admin'; id: string; name: string | null };

/** A row of `invitations` without its hashes; instants in milliseconds. */
export type InvitationRow = {
  id: string;
  project_id: string;
  email: string | null;
  name: string | null;
  role: Role;
  invited_by: Inviter;
  for_operator: boolean;
  mailed: boolean;
  created_at: number;
  sent_at: number;
  expires_at: number;
  accepted_at: number | null;
  accepted_by: string | null;
  revoked_at: number | null;
};

/** Whether an invitation can still be accepted, or how it ended. */
export function stateOf(
  row: Pick<InvitationRow, 'accepted_at' | 'revoked_at' | 'expires_at'>,
  nowMs: number,
): (typeof invitationStates)[number] {
  if (row.accepted_at !== null) return 'accepted';
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at <= nowMs ? 'expired' : 'open';
}

/** An invitation that can still be accepted. */
export function openOrNull<Row extends InvitationRow>(invitation: Row | null, nowMs: number): Row | null {
  return invitation !== null && stateOf(invitation, nowMs) === 'open' ? invitation : null;
}

/** An invitation as the API shows it. */
export function viewInvitation(row: InvitationRow, nowMs: number): InvitationView {
  const { id, email, name, role, invited_by, accepted_by, mailed } = row;
  return {
    id,
    email,
    name,
    role,
    state: stateOf(row, nowMs),
    invited_by,
    accepted_by,
    expires_at: toTimestamp(row.expires_at),
    mailed,
    created_at: toTimestamp(row.created_at),
  };
}

/** What the audit says of an invitation. */
export function auditInvitation(row: InvitationRow): Fields {
  return { email: row.email, name: row.name, role: row.role, expires_at: toTimestamp(row.expires_at) };
}

/** The address that shows an invitation or signs somebody in. Behind the `#` no log and no proxy sees the secret. */
export function joinUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}/join#${secret}`;
}
