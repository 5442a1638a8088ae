import type { default as Router } from '@koa/router';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { reserveBodyFor } from '../../platform/http/bodies/body-budget.ts';
import { readBytes } from '../../platform/http/bodies/read-body.ts';
import { parseForm } from '../../platform/http/bodies/read-form.ts';
import { Problem } from '../../platform/http/problem.ts';
import { endVisits } from '../members/visits.ts';
import { createLogoutReader, type LoggedOut } from '../oidc/logout-token.ts';
import { findKnownPerson } from '../oidc/store.ts';
import { recordEverywhere } from '../people/record.ts';
import { findPerson } from '../people/store.ts';
import { sessionFields } from '../sessions/audit.ts';
import { endSessionsByProvider, type SessionRow } from '../sessions/store.ts';
import { type SignInContext, sendJson } from './exchange.ts';
import type { SignInServices } from './services.ts';

/** Adds back-channel logout: the identity provider says that somebody signed out there. */
export function addLogoutRoute(router: Router, services: SignInServices): void {
  const { provider, settings, clock } = services;
  const read = provider === null ? null : createLogoutReader(provider);
  router.post('/auth/oidc/logout', async routed => {
    const context = routed as SignInContext;
    if (read === null || !settings.methods.includes('oidc')) throw new Problem('method_disabled');
    const caller = services.callerKey(context.req);
    await services.chargeLogout(caller);
    const reserved = reserveBodyFor(context.res, services.forms, { caller, owner: caller });
    const form = parseForm(context.req, await readBytes(context.req, services.forms.bodyBytesMax, reserved.take));
    const { logout_token: token } = (typeof form === 'object' ? (form ?? {}) : {}) as Record<string, unknown>;
    const said = typeof token === 'string' ? await read(token, clock.now()).catch(unavailable) : null;
    if (said === null) return sendJson(context, 400, { error: 'invalid_request' });
    await transaction(services.pool, sql => endFor(sql, said, context.state.requestId, services));
    sendJson(context, 200, {});
  });
}

function unavailable(): never {
  throw new Problem('unavailable', { detail: 'the identity provider does not answer, or is another one' });
}

/** Ends sessions, and visits to status pages, which are of the person and not of one session. */
async function endFor(
  sql: Sql,
  { issuer, sid, subject }: LoggedOut,
  requestId: string,
  { clock, recordChange, membersChanged }: SignInServices,
): Promise<void> {
  const nowMs = clock.now();
  const known = subject === null ? null : await findKnownPerson(sql, issuer, subject);
  const ended = await endSessionsByProvider(sql, { sid, personId: known?.id ?? null }, nowMs);
  for (const row of ended) await recordEnd(sql, recordChange, row, requestId, nowMs);
  for (const personId of new Set([...ended.map(row => row.person_id), ...(known === null ? [] : [known.id])]))
    await endVisits(sql, { personId, resting: null }, membersChanged, nowMs);
}

async function recordEnd(
  sql: Sql,
  recordChange: SignInServices['recordChange'],
  row: SessionRow & { person_id: string },
  requestId: string,
  nowMs: number,
): Promise<void> {
  const name = (await findPerson(sql, row.person_id))?.name ?? null;
  const actor = { type: 'person', id: row.person_id, name } as const;
  const origin = { actor, via: 'dashboard', requestId, planId: null } as const;
  const before = { ...sessionFields(row), reason: 'provider' };
  const change = { action: 'session.ended', subject: row.id, name, before, after: null } as const;
  await recordEverywhere(sql, recordChange, { personId: row.person_id, origin, change }, nowMs);
}
