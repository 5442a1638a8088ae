import type { default as Router } from '@koa/router';
import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { Problem } from '../../platform/http/problem.ts';
import { hashBearer, isBearer } from '../../platform/secrets/bearer.ts';
import { openOrNull, personEmailSchema } from '../invitations/invitation.ts';
import { mailProof } from '../invitations/mail.ts';
import { type LinkedInvitation, lockInvitationOf } from '../invitations/store.ts';
import type { PersonRow } from '../people/person.ts';
import { listVerified } from '../people/store.ts';
import { acceptAs } from './accept.ts';
import { beginSession } from './begin-session.ts';
import { readPosted, type SignInContext, sendJson } from './exchange.ts';
import { createNewcomer } from './newcomer.ts';
import { recordRefusal } from './refusal.ts';
import type { SignInServices } from './services.ts';

const token = z.string().trim().max(200);
const proofSchema = z.object({ token, email: personEmailSchema });
const joinSchema = z.object({ token, name: lineSchema(100) });

/** Adds joining by an invitation as somebody new who has nothing but an address. */
export function addJoinRoutes(router: Router, services: SignInServices): void {
  router.post('/auth/invitations/email', context => askForProof(context as SignInContext, services));
  router.post('/auth/invitations/join', context => join(context as SignInContext, services));
}

/** Emails a link that shows that an address is the caller's. One answer, whether there is somebody with it or not. */
async function askForProof(context: SignInContext, services: SignInServices): Promise<void> {
  requireMethod(services);
  const { token: secret, email } = await readPosted(context, services, proofSchema);
  await services.chargeMail();
  await transaction(services.pool, async sql => {
    const { clock } = services;
    await mailProof(sql, await lockOpen(sql, hashOf(secret), services), email, services, clock.now());
  });
  sendJson(context, 202, {});
}

/** Joins and signs in whoever has the address that the link proves: somebody known, or new. */
async function join(context: SignInContext, services: SignInServices): Promise<void> {
  requireMethod(services);
  const { token: secret, name } = await readPosted(context, services, joinSchema);
  const { requestId } = context.state;
  const view = await transaction(services.pool, async sql => {
    const hash = hashOf(secret);
    const invitation = await lockOpen(sql, hash, services);
    // A link that was handed over proves no address.
    if (invitation.proven_email === null) throw new Problem('link_expired');
    const known = await findKnown(sql, invitation);
    const person = known ?? (await createNewcomer(sql, { name, email: null, requestId }, services));
    await acceptAs(sql, hash, { id: person.id, name: person.name, requestId }, services);
    return beginSession(sql, context, services, { type: 'person', id: person.id, name: person.name, method: 'link' });
  }).catch(async (error: unknown) => {
    if (error instanceof Problem && error.code === 'link_expired')
      await recordRefusal(services, { method: 'link', reason: error.code }, async () => null, requestId);
    throw error;
  });
  sendJson(context, 201, view);
}

/**
 * The one person whose verified address a link of a few minutes proves: whoever opens it could have asked for a link
 * that signs them in. The link of an invitation works for days and is passed on, so that it opens no account, and who
 * shares an address is not guessed. An address that nobody has verified may have been typed by somebody else.
 */
async function findKnown(sql: Sql, { asked, proven_email: email }: LinkedInvitation): Promise<PersonRow | null> {
  const [only, ...others] = asked && email !== null ? await listVerified(sql, email) : [];
  return others.length === 0 ? (only ?? null) : null;
}

function requireMethod({ settings }: SignInServices): void {
  if (!settings.methods.includes('email')) throw new Problem('method_disabled');
}

async function lockOpen(sql: Sql, hash: Buffer, { clock }: SignInServices): Promise<LinkedInvitation> {
  const nowMs = clock.now();
  const invitation = openOrNull(await lockInvitationOf(sql, hash, nowMs), nowMs);
  if (invitation === null) throw new Problem('link_expired');
  return invitation;
}

function hashOf(secret: string): Buffer {
  if (!isBearer('upi', secret)) throw new Problem('link_expired');
  return hashBearer(secret);
}
