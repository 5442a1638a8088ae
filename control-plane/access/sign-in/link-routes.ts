import type { default as Router } from '@koa/router';
import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { requirePerson } from '../../platform/http/endpoint/require-allowed.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findProject } from '../../platform/projects/store.ts';
import { hashBearer, isBearer } from '../../platform/secrets/bearer.ts';
import { openOrNull, personEmailSchema } from '../invitations/invitation.ts';
import { findInvitationOf } from '../invitations/store.ts';
import { recordEverywhere } from '../people/record.ts';
import { findLink, findOwnerOfLink, findPerson, takeLink } from '../people/store.ts';
import { callerOf } from '../sessions/caller-of.ts';
import { acceptAs } from './accept.ts';
import { beginSession } from './begin-session.ts';
import { readPosted, type SignInContext, sendJson } from './exchange.ts';
import { askByMail } from './mailed-link.ts';
import { recordRefusal } from './refusal.ts';
import type { SignInServices } from './services.ts';

const emailSchema = z.object({ email: personEmailSchema });
const tokenSchema = z.object({ token: z.string().trim().max(200) });

/** Adds what the links of invitations and of signing in lead to. */
export function addLinkRoutes(router: Router, services: SignInServices): void {
  router.post('/auth/invitations/look', context => look(context as SignInContext, services));
  router.post('/auth/invitations/accept', context => accept(context as SignInContext, services));
  router.post('/auth/links', context => askForLink(context as SignInContext, services));
  router.post('/auth/links/use', context => useLink(context as SignInContext, services));
}

/** What a link is for. Looking changes nothing. */
async function look(context: SignInContext, services: SignInServices): Promise<void> {
  const hash = await readHash(context, services);
  const nowMs = services.clock.now();
  const seen = await transaction(services.pool, async sql => {
    const link = await findLink(sql, hash, nowMs);
    const person = link === null ? null : await findPerson(sql, link.person_id);
    if (person?.state === 'active') return { type: 'sign_in', name: person.name };
    const invitation = openOrNull(await findInvitationOf(sql, hash, nowMs), nowMs);
    const project = invitation === null ? null : await findProject(sql, invitation.project_id);
    if (invitation === null || project === null) throw new Problem('link_expired');
    const { role, invited_by: by } = invitation;
    return {
      type: 'invitation',
      project: project.name,
      role,
      invited_by: by.name,
      methods: services.settings.methods.filter(method => method !== 'token'),
      email: invitation.proven_email,
    };
  });
  sendJson(context, 200, seen);
}

/** Joins the project as who is signed in. */
async function accept(context: SignInContext, services: SignInServices): Promise<void> {
  const hash = await readHash(context, services);
  const caller = await callerOf(context.headers, services, 'anywhere');
  requirePerson(caller);
  const { id, name } = caller.actor;
  const joined = await transaction(services.pool, sql =>
    acceptAs(sql, hash, { id, name, requestId: context.state.requestId }, services),
  );
  sendJson(context, 200, joined);
}

/** Sends a link to those who have the address. One answer, whether there are any or not. */
async function askForLink(context: SignInContext, services: SignInServices): Promise<void> {
  if (!services.settings.methods.includes('email')) throw new Problem('method_disabled');
  const { email } = await readPosted(context, services, emailSchema);
  await services.chargeMail();
  await transaction(services.pool, sql => askByMail(sql, email, services));
  sendJson(context, 202, {});
}

/** Signs in by a link, once. */
async function useLink(context: SignInContext, services: SignInServices): Promise<void> {
  const hash = await readSecret(context, services);
  const { requestId } = context.state;
  const view = await transaction(services.pool, async sql => {
    const nowMs = services.clock.now();
    const link = hash === null ? null : await takeLink(sql, hash, nowMs);
    const person = link === null ? null : await findPerson(sql, link.person_id);
    if (link === null || person?.state !== 'active') throw new Problem('link_expired');
    const { id, name } = person;
    const origin = { actor: { type: 'person', id, name }, via: 'dashboard', requestId, planId: null } as const;
    const after = { used: true };
    const change = { action: 'sign_in_link.used', subject: id, name, before: null, after } as const;
    await recordEverywhere(sql, services.recordChange, { personId: id, origin, change }, nowMs);
    return beginSession(sql, context, services, { type: 'person', id, name, method: 'link' });
  }).catch(async (error: unknown) => {
    const whose = async (sql: Sql) => (hash === null ? null : findOwnerOfLink(sql, hash));
    if (error instanceof Problem && error.code === 'link_expired')
      await recordRefusal(services, { method: 'link', reason: error.code }, whose, requestId);
    throw error;
  });
  sendJson(context, 201, view);
}

/** The hash of the secret in a link. Throws `link_expired` for what can be none: one answer for all. */
async function readHash(context: SignInContext, services: SignInServices): Promise<Buffer> {
  const hash = await readSecret(context, services);
  if (hash === null) throw new Problem('link_expired');
  return hash;
}

/** Null for what can be no secret of a link. */
async function readSecret(context: SignInContext, services: SignInServices): Promise<Buffer | null> {
  const { token } = await readPosted(context, services, tokenSchema);
  return isBearer('upi', token) ? hashBearer(token) : null;
}
