import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { noParameters } from '../../platform/http/endpoint/parameters.ts';
import { originOf } from '../../platform/http/endpoint/recording.ts';
import { Problem } from '../../platform/http/problem.ts';
import { endVisits, type MembersChanged } from '../members/visits.ts';
import { sessionFields } from '../sessions/audit.ts';
import { endSession, endSessionsOf, listSessions, type SessionRow, signInMethods } from '../sessions/store.ts';
import { meSchema, showCaller } from './me.ts';
import { auditPerson, mePatchSchema, personSchema, viewPerson } from './person.ts';
import { recordEverywhere } from './record.ts';
import { lockPerson, updatePerson } from './store.ts';

const tag = 'People';
/** What concerns only oneself. */
const own = { tag, scope: null, peopleOnly: true, anywhere: true, pool: 'people' } as const;

const sessionSchema = z
  .object({
    id: z.string(),
    method: z.enum(signInMethods),
    user_agent: z.string(),
    current: z.boolean(),
    created_at: z.string(),
    last_seen_at: z.string(),
    expires_at: z.string(),
  })
  .meta({ title: 'Session' });

type MeServices = { recordChange: RecordChange; membersChanged: MembersChanged };

/** Who somebody is, and where they are signed in. */
export function meEndpoints({ recordChange, membersChanged }: MeServices): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v0/me',
      summary: 'Get who you are: a person, or a token with its project and its scopes',
      tag,
      scope: null,
      anywhere: true,
      pool: 'people',
      answers: { 200: meSchema },
      handle: async ({ sql, caller }) => ({ status: 200, body: await showCaller(sql, caller) }),
    }),
    endpoint({
      ...own,
      method: 'patch',
      path: '/v0/me',
      summary: 'Change your name and what the dashboard looks like',
      body: mePatchSchema,
      answers: { 200: personSchema },
      audit: ['person.updated'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        const before = await lockPerson(sql, caller.actor.id);
        const after = await updatePerson(sql, caller.actor.id, body, nowMs);
        if (before === null || after === null) throw new Problem('missing_token');
        const sides = { before: auditPerson(before), after: auditPerson(after) };
        await record({ action: 'person.updated', subject: after.id, name: after.name, ...sides });
        return { status: 200, body: viewPerson(after) };
      },
    }),
    endpoint({
      ...own,
      method: 'get',
      path: '/v0/me/sessions',
      summary: 'List where you are signed in',
      answers: { 200: z.object({ data: z.array(sessionSchema) }) },
      handle: async ({ sql, caller, nowMs }) => {
        const rows = await listSessions(sql, caller.actor.id, nowMs);
        return { status: 200, body: { data: rows.map(row => viewSession(row, caller)) } };
      },
    }),
    endpoint({
      ...own,
      method: 'delete',
      path: '/v0/me/sessions',
      summary: 'Sign out everywhere else',
      operation: 'endOtherSessions',
      query: noParameters,
      answers: { 204: null },
      audit: ['session.ended'],
      handle: async ({ sql, caller, nowMs, requestId }) => {
        const ended = await endSessionsOf(sql, caller.actor.id, caller.session?.id ?? null, nowMs);
        for (const row of ended) await recordEnd(sql, recordChange, { row, caller, requestId }, nowMs);
        await endVisits(sql, { personId: caller.actor.id, resting: null }, membersChanged, nowMs);
        return { status: 204 };
      },
    }),
    endpoint({
      ...own,
      method: 'delete',
      path: '/v0/me/sessions/{id}',
      summary: 'End one of your sessions',
      operation: 'endSession',
      params: z.object({ id: z.string().max(40) }),
      answers: { 204: null },
      audit: ['session.ended'],
      handle: async ({ sql, caller, params, nowMs, requestId }) => {
        const rows = await listSessions(sql, caller.actor.id, nowMs);
        const row = rows.find(({ id }) => id === params.id);
        if (row === undefined) throw new Problem('not_found');
        await endSession(sql, row.id, nowMs);
        await recordEnd(sql, recordChange, { row, caller, requestId }, nowMs);
        return { status: 204 };
      },
    }),
  ];
}

function viewSession(row: SessionRow, { session }: Caller) {
  return {
    id: row.id,
    method: row.method,
    user_agent: row.user_agent,
    current: row.id === session?.id,
    created_at: toTimestamp(row.created_at),
    last_seen_at: toTimestamp(row.last_seen_at),
    expires_at: toTimestamp(row.expires_at),
  };
}

async function recordEnd(
  sql: Sql,
  recordChange: RecordChange,
  { row, caller, requestId }: { row: SessionRow; caller: Caller; requestId: string },
  nowMs: number,
): Promise<void> {
  const { actor } = caller;
  const before = { ...sessionFields(row), reason: 'person' };
  const change = { action: 'session.ended', subject: row.id, name: actor.name, before, after: null } as const;
  const about = { personId: actor.id, origin: originOf({}, caller, requestId), change };
  await recordEverywhere(sql, recordChange, about, nowMs);
}
