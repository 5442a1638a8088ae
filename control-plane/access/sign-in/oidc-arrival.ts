import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { followGroups } from '../group-roles/follow.ts';
import { lookAtGroups } from '../group-roles/store.ts';
import { openOrNull } from '../invitations/invitation.ts';
import { findInvitationOf } from '../invitations/store.ts';
import type { Claims } from '../oidc/claims.ts';
import { decide, isOperatorByGroup, type Question, type SignInError } from '../oidc/decide.ts';
import { findKnownPerson, insertIdentity, listInvitedBy, lockAccount, updateFromProvider } from '../oidc/store.ts';
import type { PersonRow } from '../people/person.ts';
import { recordEverywhere } from '../people/record.ts';
import { takeRoom } from '../people/room.ts';
import { findPerson } from '../people/store.ts';
import { confirmSession, isOpenSession } from '../sessions/store.ts';
import { acceptAs } from './accept.ts';
import { beginSession } from './begin-session.ts';
import type { SignInContext } from './exchange.ts';
import { createNewcomer } from './newcomer.ts';
import type { Visit } from './oidc-cookie.ts';
import { followOperators } from './operators.ts';
import type { SignInServices } from './services.ts';

/** Somebody is not let in. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  readonly code: SignInError;

  constructor(code: SignInError) {
    super(code);
    this.code = code;
  }
}

type Arrival = { context: SignInContext; services: SignInServices; visit: Visit; claims: Claims };

/**
 * Lets in, joins, links or confirms whom the provider vouches for. Throws RefusedError: then nothing has changed.
 * Returns why somebody is not let in from whom the provider took everything: that counts.
 */
export async function arriveBy(sql: Sql, arrival: Arrival): Promise<SignInError | null> {
  const { services, visit, claims } = arrival;
  const nowMs = services.clock.now();
  await lockAccount(sql, claims.issuer, claims.subject);
  const known = await findKnownPerson(sql, claims.issuer, claims.subject);
  const invited = await invitedBy(sql, claims, nowMs);
  const decision = decide(
    {
      purpose: visit.purpose,
      personId: visit.personId,
      invitation: await stateOfInvitation(sql, visit, nowMs),
      known,
      isInvited: invited.length > 0,
      groupRoles: await lookAtGroups(sql, claims.groups),
    },
    claims,
    services.settings,
  );
  switch (decision.type) {
    case 'refuse':
      if (known === null || decision.error !== 'not_admitted') throw new RefusedError(decision.error);
      await follow(sql, arrival, known.id, nowMs);
      return decision.error;
    case 'confirm':
      await confirm(sql, visit, nowMs);
      return null;
    case 'link':
      await link(sql, arrival, nowMs);
      return null;
    case 'create':
      await enter(sql, arrival, await create(sql, arrival, nowMs), visit.invitation === null ? invited : [], nowMs);
      return null;
    case 'sign_in':
      await enter(sql, arrival, decision.personId, [], nowMs);
      return null;
  }
}

async function invitedBy(sql: Sql, { email, verified }: Claims, nowMs: number): ReturnType<typeof listInvitedBy> {
  return email !== null && verified ? listInvitedBy(sql, email, nowMs) : [];
}

async function stateOfInvitation(sql: Sql, { invitation }: Visit, nowMs: number): Promise<Question['invitation']> {
  if (invitation === null) return 'none';
  const found = openOrNull(await findInvitationOf(sql, Buffer.from(invitation, 'base64url'), nowMs), nowMs);
  return found === null ? 'expired' : 'open';
}

async function confirm(sql: Sql, { sessionId }: Visit, nowMs: number): Promise<void> {
  if (sessionId === null || !(await isOpenSession(sql, sessionId, nowMs))) throw new RefusedError('state_unknown');
  await confirmSession(sql, sessionId, nowMs);
}

/** Adds the account to who began, if they are still signed in. */
async function link(sql: Sql, arrival: Arrival, nowMs: number): Promise<void> {
  const { personId, sessionId } = arrival.visit;
  const person = personId === null ? null : await findPerson(sql, personId);
  if (person?.state !== 'active' || sessionId === null || !(await isOpenSession(sql, sessionId, nowMs)))
    throw new RefusedError('state_unknown');
  await orRefuse('limit_reached', 'state_unknown', takeRoom(sql, person.id, 'identities'));
  await addIdentity(sql, arrival, person.id, person.name, nowMs);
  const to = { personIds: [person.id], projectId: null };
  await arrival.services.emailPeople(sql, to, { type: 'account_linked', issuer: arrival.claims.issuer }, nowMs);
}

/** Makes somebody new. */
async function create(sql: Sql, arrival: Arrival, nowMs: number): Promise<string> {
  const { claims } = arrival;
  const name = claims.name ?? claims.email?.split('@')[0] ?? 'New member';
  const { requestId } = arrival.context.state;
  const row = await createNewcomer(sql, { name, email: claims.email, requestId }, arrival.services);
  await addIdentity(sql, arrival, row.id, name, nowMs);
  return row.id;
}

async function addIdentity(sql: Sql, arrival: Arrival, personId: string, name: string, nowMs: number): Promise<void> {
  const { issuer, subject } = arrival.claims;
  if (!(await insertIdentity(sql, { personId, issuer, subject }, nowMs))) throw new RefusedError('identity_taken');
  const change: Change = { action: 'identity.linked', subject: personId, name, before: null, after: { issuer } };
  const about = { personId, origin: originOf(arrival, personId, name), change };
  await recordEverywhere(sql, arrival.services.recordChange, about, nowMs);
}

/**
 * Signs in, with what the provider says of the person now, and joins by the invitation that they came from. `invited`:
 * those that somebody new joins by without a link.
 */
async function enter(
  sql: Sql,
  arrival: Arrival,
  personId: string,
  invited: Awaited<ReturnType<typeof listInvitedBy>>,
  nowMs: number,
): Promise<void> {
  const { context, services, visit, claims } = arrival;
  const { id, name } = await follow(sql, arrival, personId, nowMs);
  const { requestId } = context.state;
  const own = visit.invitation === null ? [] : [Buffer.from(visit.invitation, 'base64url')];
  for (const hash of [...own, ...invited.map(each => each.hash)])
    await orRefuse('link_expired', 'link_expired', acceptAs(sql, hash, { id, name, requestId }, services));
  const provider = { sid: claims.sid, logoutUrl: services.provider?.logoutUrl() ?? null };
  await beginSession(sql, context, services, { type: 'person', id, name, method: 'oidc', provider });
}

/** What was possible when the browser left for the provider may not be any more: the page of signing in says so. */
async function orRefuse(code: Problem['code'], refusal: SignInError, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw error instanceof Problem && error.code === code ? new RefusedError(refusal) : error;
  }
}

/** Stores what the provider says of a person now: address, rights of an operator, roles by groups. */
async function follow(sql: Sql, arrival: Arrival, personId: string, nowMs: number): Promise<PersonRow> {
  const { services, claims } = arrival;
  const { issuer, subject, email, verified, groups } = claims;
  const said = { issuer, subject, email, verified, isOperatorByGroup: isOperatorByGroup(claims, services.settings) };
  await updateFromProvider(sql, personId, said, nowMs);
  await followOperators(sql, { id: personId, requestId: arrival.context.state.requestId }, services);
  const person = await findPerson(sql, personId);
  if (person === null) throw new RefusedError('state_unknown');
  const { recordChange, membersChanged } = services;
  const origin = originOf(arrival, personId, person.name);
  await followGroups(sql, { person, groups }, { origin, recordChange, membersChanged }, nowMs);
  return person;
}

function originOf({ context }: Arrival, id: string, name: string) {
  const actor = { type: 'person', id, name } as const;
  return { actor, via: 'dashboard', requestId: context.state.requestId, planId: null } as const;
}
