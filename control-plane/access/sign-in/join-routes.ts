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
import { acceptAs } from './accept.ts';
import { beginSession } from './begin-session.ts';
import { readPosted, type SignInContext, sendJson } from './exchange.ts';
import { createNewcomer } from './newcomer.ts';
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

/** Makes a person of the address that the link proves, who joins and is signed in. */
async function join(context: SignInContext, services: SignInServices): Promise<void> {
  requireMethod(services);
  const { token: secret, name } = await readPosted(context, services, joinSchema);
  const { requestId } = context.state;
  const view = await transaction(services.pool, async sql => {
    const hash = hashOf(secret);
    // A link that was handed over proves no address.
    if ((await lockOpen(sql, hash, services)).proven_email === null) throw new Problem('link_expired');
    const { id } = await createNewcomer(sql, { name, email: null, requestId }, services);
    await acceptAs(sql, hash, { id, name, requestId }, services);
    return beginSession(sql, context, services, { type: 'person', id, name, method: 'link' });
  });
  sendJson(context, 201, view);
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
