import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { confirmedForMs } from '../../platform/http/endpoint/require-allowed.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { PasskeyPlace } from '../passkeys/place.ts';
import { viewPasskey } from '../passkeys/routes.ts';
import { handleOf, insertPasskey, lockPasskeyOf, type PasskeyRow, takeTicket, usePasskey } from '../passkeys/store.ts';
import { hashTicket, type Ticket } from '../passkeys/ticket.ts';
import { type Credential, verifyRegistration, verifyUse } from '../passkeys/webauthn.ts';
import { recordEverywhere } from '../people/record.ts';
import { takeRoom } from '../people/room.ts';
import { findPerson } from '../people/store.ts';
import { confirmSession } from '../sessions/store.ts';
import { acceptAs } from './accept.ts';
import { beginSession } from './begin-session.ts';
import type { SignInContext } from './exchange.ts';
import { createNewcomer } from './newcomer.ts';
import type { SignInServices } from './services.ts';

/** One exchange with a passkey. */
export type Exchange = {
  context: SignInContext;
  services: SignInServices;
  place: PasskeyPlace;
  ticket: Ticket;
  credential: Credential;
};

type Done = { status: number; body: unknown };

/** One answer for everything that is wrong with a passkey. */
export function refusal(): Problem {
  return new Problem('sign_in_refused');
}

/** Signs in whoever the passkey is of. */
export async function signInBy(sql: Sql, exchange: Exchange): Promise<Done> {
  const passkey = await useOne(sql, exchange, 'sign_in');
  const person = await findPerson(sql, passkey.person_id);
  if (person?.state !== 'active') throw refusal();
  const arrival = { type: 'person', id: person.id, name: person.name, method: 'passkey' } as const;
  return { status: 201, body: await beginSession(sql, exchange.context, exchange.services, arrival) };
}

/** Shows that the person of a session is still the one. */
export async function confirmBy(sql: Sql, exchange: Exchange, person: Caller | null): Promise<Done> {
  const passkey = await useOne(sql, exchange, 'confirm');
  const sessionId = person?.session?.id ?? null;
  if (person === null || sessionId === null || passkey.person_id !== person.actor.id) throw refusal();
  const nowMs = exchange.services.clock.now();
  await confirmSession(sql, sessionId, nowMs);
  return { status: 200, body: { confirmed_until: toTimestamp(nowMs + confirmedForMs) } };
}

/** Adds a passkey to who is signed in, or to somebody new, who joins by an invitation and is signed in. */
export async function registerBy(
  sql: Sql,
  exchange: Exchange,
  passkeyName: string,
  person: Caller | null,
): Promise<Done> {
  const { place, ticket, credential } = exchange;
  await takeOnce(sql, ticket);
  const made = await verifyRegistration(place, ticket.challenge, credential);
  if (made === null) throw refusal();
  if (person !== null) {
    const { id, name } = person.actor;
    await takeRoom(sql, id, 'passkeys');
    const row = await add(sql, exchange, { ...made, personId: id, name: passkeyName }, name);
    return { status: 200, body: viewPasskey(row) };
  }
  const { invitation, handle, name } = ticket;
  if (invitation === null || handle === null || name === null) throw refusal();
  return joinBy(sql, exchange, { ...made, name: passkeyName }, { invitation, handle, name });
}

type MadePasskey = Omit<Parameters<typeof insertPasskey>[1], 'personId' | 'host'>;

async function joinBy(
  sql: Sql,
  exchange: Exchange,
  made: MadePasskey,
  { invitation, handle, name }: { invitation: string; handle: string; name: string },
): Promise<Done> {
  const { context, services } = exchange;
  const { requestId } = context.state;
  const row = await createNewcomer(sql, { name, email: null, requestId }, services);
  await handleOf(sql, row.id, Buffer.from(handle, 'base64url'));
  await acceptAs(sql, Buffer.from(invitation, 'base64url'), { id: row.id, name, requestId }, services);
  await add(sql, exchange, { ...made, personId: row.id }, name);
  const arrival = { type: 'person', id: row.id, name, method: 'passkey' } as const;
  return { status: 201, body: await beginSession(sql, context, services, arrival) };
}

async function add(
  sql: Sql,
  { context, services, place }: Exchange,
  passkey: MadePasskey & { personId: string },
  personName: string,
): Promise<PasskeyRow> {
  const nowMs = services.clock.now();
  const row = await insertPasskey(sql, { ...passkey, host: place.rpId }, nowMs);
  if (row === null) throw refusal();
  const { requestId } = context.state;
  const actor = { type: 'person', id: passkey.personId, name: personName } as const;
  const after = { name: row.name, synced: row.synced };
  const change = { action: 'passkey.created', subject: row.id, name: row.name, before: null, after } as const;
  const origin = { actor, via: 'dashboard', requestId, planId: null } as const;
  const { personId } = passkey;
  await recordEverywhere(sql, services.recordChange, { personId, origin, change }, nowMs);
  const to = { personIds: [personId], projectId: null };
  await services.emailPeople(sql, to, { type: 'passkey_added', passkey: row.name }, nowMs);
  return row;
}

/** A passkey that answers the ticket's challenge, which counts once. Its counter goes on. */
async function useOne(
  sql: Sql,
  { services, place, ticket, credential }: Exchange,
  purpose: 'sign_in' | 'confirm',
): Promise<PasskeyRow> {
  await takeOnce(sql, ticket);
  const passkey = await lockPasskeyOf(sql, Buffer.from(credential.id, 'base64url'));
  if (passkey === null) throw refusal();
  const used = await verifyUse(place, { challenge: ticket.challenge, purpose }, credential, passkey);
  if (used === null) throw refusal();
  await usePasskey(sql, passkey.id, { ...used, host: place.rpId }, services.clock.now());
  return passkey;
}

async function takeOnce(sql: Sql, ticket: Ticket): Promise<void> {
  if (!(await takeTicket(sql, hashTicket(ticket), ticket.expiresAt))) throw refusal();
}
