import { randomBytes } from 'node:crypto';
import type { default as Router } from '@koa/router';
import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { requireConfirmed, requirePerson } from '../../platform/http/endpoint/require-allowed.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { Problem } from '../../platform/http/problem.ts';
import { hashBearer, isBearer } from '../../platform/secrets/bearer.ts';
import { openOrNull } from '../invitations/invitation.ts';
import { findInvitationOf } from '../invitations/store.ts';
import type { PasskeyPlace } from '../passkeys/place.ts';
import { handleOf, listPasskeys, lockPasskeyOf } from '../passkeys/store.ts';
import { openTicket, sealTicket, type Ticket, ticketMs } from '../passkeys/ticket.ts';
import { credentialSchema, registrationOptions, requestOptions } from '../passkeys/webauthn.ts';
import { requireRoom } from '../people/room.ts';
import { findPerson } from '../people/store.ts';
import { callerOf } from '../sessions/caller-of.ts';
import { readPosted, type SignInContext, sendJson } from './exchange.ts';
import { confirmBy, refusal, registerBy, signInBy } from './passkey-use.ts';
import { recordRefusal } from './refusal.ts';
import type { SignInServices } from './services.ts';

const handleBytes = 64;
const newcomer = 'New member';

const optionsSchema = z.object({
  purpose: z.enum(['sign_in', 'register', 'confirm']),
  invitation: z.string().max(200).nullable().default(null),
  name: lineSchema(100).nullable().default(null).describe('What somebody new is called.'),
});

const verifySchema = z.object({
  ticket: z.string().max(8192),
  credential: credentialSchema,
  name: lineSchema(100).default('Passkey'),
});

/** Adds signing in, joining and confirming by a passkey, and adding one. */
export function addPasskeyRoutes(router: Router, services: SignInServices): void {
  router.post('/auth/passkeys/options', context => offer(context as SignInContext, services));
  router.post('/auth/passkeys/verify', context => verify(context as SignInContext, services));
}

function requirePlace({ passkeys }: SignInServices): PasskeyPlace {
  if (passkeys === null) throw new Problem('method_disabled', { detail: 'passkeys need https and a name' });
  return passkeys;
}

/** What a browser needs for a passkey, with a ticket that says what it is for. */
async function offer(context: SignInContext, services: SignInServices): Promise<void> {
  const place = requirePlace(services);
  const asked = await readPosted(context, services, optionsSchema, 'chargeStart');
  const { clock, keyring } = services;
  const made = await optionsFor(context, services, place, asked);
  const ticket = sealTicket(
    {
      ...made.about,
      purpose: asked.purpose,
      challenge: made.options.challenge,
      expiresAt: clock.now() + ticketMs,
    },
    keyring,
  );
  sendJson(context, 200, { ticket, public_key: made.options });
}

type Offer = {
  options: { challenge: string };
  about: Pick<Ticket, 'personId' | 'invitation' | 'handle' | 'name'>;
};
const nobody: Offer['about'] = { personId: null, invitation: null, handle: null, name: null };

async function optionsFor(
  context: SignInContext,
  services: SignInServices,
  place: PasskeyPlace,
  { purpose, invitation, name }: z.output<typeof optionsSchema>,
): Promise<Offer> {
  if (purpose === 'sign_in') return { options: await requestOptions(place, null), about: nobody };
  if (purpose === 'register' && invitation !== null) return offerToNewcomer(services, place, invitation, name);
  const caller = await personOf(context, services);
  const own = await listPasskeys(services.sql, caller.actor.id);
  const about = { ...nobody, personId: caller.actor.id };
  if (purpose === 'confirm') return { options: await requestOptions(place, own), about };
  requireConfirmed(caller, services.clock.now());
  await requireRoom(services.sql, caller.actor.id, 'passkeys');
  const handle = await handleOf(services.sql, caller.actor.id, randomBytes(handleBytes));
  const email = (await findPerson(services.sql, caller.actor.id))?.email;
  const person = { handle, name: caller.actor.name, account: email ?? caller.actor.name };
  return { options: await registrationOptions(place, person, own), about };
}

/** Somebody who comes by an invitation; who they are is stored with their passkey. */
async function offerToNewcomer(
  { sql, clock }: SignInServices,
  place: PasskeyPlace,
  secret: string,
  chosen: string | null,
): Promise<Offer> {
  const hash = isBearer('upi', secret) ? hashBearer(secret) : null;
  const invitation = hash === null ? null : openOrNull(await findInvitationOf(sql, hash, clock.now()), clock.now());
  if (hash === null || invitation === null) throw new Problem('link_expired');
  const name = chosen ?? invitation.name ?? invitation.email?.split('@')[0] ?? newcomer;
  const handle = randomBytes(handleBytes);
  const account = invitation.email ?? name;
  return {
    options: await registrationOptions(place, { handle, name, account }, []),
    about: { ...nobody, invitation: hash.toString('base64url'), handle: handle.toString('base64url'), name },
  };
}

/** Carries out what the ticket is for. Whatever is wrong with a passkey: one answer. */
async function verify(context: SignInContext, services: SignInServices): Promise<void> {
  const place = requirePlace(services);
  const { ticket: sealed, credential, name } = await readPosted(context, services, verifySchema);
  const ticket = openTicket(sealed, services.keyring, services.clock.now());
  const whose = async (sql: Sql) =>
    (await lockPasskeyOf(sql, Buffer.from(credential.id, 'base64url')))?.person_id ?? null;
  const refused = { method: 'passkey', reason: 'sign_in_refused' } as const;
  if (ticket === null) {
    await recordRefusal(services, refused, whose, context.state.requestId);
    throw refusal();
  }
  const person = ticket.personId === null ? null : await personOf(context, services);
  if (person !== null && person.actor.id !== ticket.personId) throw refusal();
  const exchange = { context, services, place, ticket, credential };
  const { status, body } = await transaction(services.pool, sql => {
    switch (ticket.purpose) {
      case 'sign_in':
        return signInBy(sql, exchange);
      case 'register':
        return registerBy(sql, exchange, name, person);
      case 'confirm':
        return confirmBy(sql, exchange, person);
    }
  }).catch(async (error: unknown) => {
    if (ticket.purpose === 'sign_in' && error instanceof Problem && error.code === 'sign_in_refused')
      await recordRefusal(services, refused, whose, context.state.requestId);
    throw error;
  });
  sendJson(context, status, body);
}

async function personOf(context: SignInContext, services: SignInServices): Promise<Caller> {
  const caller = await callerOf(context.headers, services, 'anywhere');
  requirePerson(caller);
  return caller;
}
