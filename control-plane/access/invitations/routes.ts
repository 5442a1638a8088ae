import { z } from 'zod';
import { dayMs, minuteMs, secondMs } from '#shared/duration.ts';
import { takeOfDay } from '../../platform/db/daily-budget-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { allows, type Caller, operatorScope } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { lockProject } from '../../platform/projects/store.ts';
import { hashBearer, newBearer } from '../../platform/secrets/bearer.ts';
import { accessCounts } from '../quotas/store.ts';
import {
  auditInvitation,
  invitationPostSchema,
  invitationSchema,
  joinUrl,
  stateOf,
  viewInvitation,
} from './invitation.ts';
import { type MailServices, mailSecretFor, sendByMail, untilNextDay } from './mail.ts';
import {
  findOpenOf,
  insertInvitation,
  listInvitations,
  lockInvitation,
  lookAtMembers,
  renewInvitation,
  revokeInvitation,
} from './store.ts';

const tag = 'Members';
const params = z.object({ id: z.string().max(40) });
/** Each is stored for months, and may become a mail. */
const invitationsPerDay = 50;
const resendAfterMs = minuteMs;
const resentForMs = 7 * dayMs;

/** Invitations to a project. */
export function invitationEndpoints(services: MailServices & { baseUrl: string }): readonly Endpoint[] {
  const { baseUrl } = services;
  return [
    endpoint({
      method: 'get',
      path: '/v0/invitations',
      summary: 'List invitations of the last months, newest first',
      tag,
      scope: 'members:read',
      pool: 'people',
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(invitationSchema) },
      handle: async ({ sql, caller, query, nowMs }) => {
        const rows = await listInvitations(sql, caller.projectId, readPage('invitations', query));
        const show = (row: (typeof rows)[number]) => viewInvitation(row, nowMs);
        return { status: 200, body: pageOf('invitations', query, rows, row => [row.created_at, row.id], show) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/invitations',
      summary: 'Invite somebody; a token with `*` may invite the first admin of a project',
      tag,
      scope: null,
      pool: 'people',
      confirmed: true,
      requireCaller: requireInviter,
      body: invitationPostSchema,
      // Before the body's errors: who may not invite is not advised how to.
      check: async ({ role }, { sql, caller }) => {
        if (caller.actor.type === 'person') return [];
        requireFirst(caller, (await lookAtMembers(sql, caller.projectId, null)).some);
        return firstRoleErrors(role);
      },
      answers: { 201: invitationSchema },
      audit: ['invitation.created'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        const { projectId } = caller;
        await lockProject(sql, projectId);
        const members = await lookAtMembers(sql, projectId, body.email);
        requireFirst(caller, members.some);
        if (members.withEmail) throw new Problem('already_member');
        await requireNotInvited(sql, projectId, body.email, nowMs);
        await requireQuota(sql, projectId, accessCounts.members);
        await takeInvitation(sql, projectId, nowMs);
        const [secret, mailed] = [newBearer('upi'), await mailSecretFor(sql, body.email, services, nowMs)];
        const row = await insertInvitation(
          sql,
          {
            projectId,
            email: body.email,
            name: body.name,
            role: body.role,
            hash: hashBearer(secret),
            mailHash: mailed === null ? null : hashBearer(mailed),
            invitedBy: caller.actor,
            forOperator: caller.actor.type === 'token' && caller.scopes.includes(operatorScope),
            expiresAt: nowMs + body.expires_in_days * dayMs,
          },
          nowMs,
        );
        await sendByMail(sql, row, mailed, services, nowMs);
        const name = row.email ?? row.name;
        await record({
          action: 'invitation.created',
          subject: row.id,
          name,
          before: null,
          after: auditInvitation(row),
        });
        return { status: 201, body: { ...viewInvitation(row, nowMs), url: joinUrl(baseUrl, secret) } };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/invitations/{id}/resend',
      summary: 'Renew an invitation: a new link for seven days; the old ones end',
      operation: 'resendInvitation',
      tag,
      scope: 'members:write',
      peopleOnly: true,
      confirmed: true,
      pool: 'people',
      params,
      answers: { 200: invitationSchema },
      audit: ['invitation.resent'],
      handle: async ({ sql, caller, params: { id }, nowMs, record }) => {
        const before = await lockInvitation(sql, caller.projectId, id);
        if (before === null) throw new Problem('not_found');
        if (!['open', 'expired'].includes(stateOf(before, nowMs))) throw new Problem('link_expired');
        const waitMs = before.sent_at + resendAfterMs - nowMs;
        if (waitMs > 0) throw new Problem('rate_limited', { retryAfter: Math.ceil(waitMs / secondMs) });
        if (stateOf(before, nowMs) === 'expired') {
          await requireNotInvited(sql, caller.projectId, before.email, nowMs);
          await requireQuota(sql, caller.projectId, accessCounts.members);
        }
        await takeInvitation(sql, caller.projectId, nowMs);
        const [secret, mailed] = [newBearer('upi'), await mailSecretFor(sql, before.email, services, nowMs)];
        const mailHash = mailed === null ? null : hashBearer(mailed);
        const renewed = { hash: hashBearer(secret), mailHash, expiresAt: nowMs + resentForMs };
        const row = await renewInvitation(sql, id, renewed, nowMs);
        if (row === null) throw new Problem('not_found');
        await sendByMail(sql, row, mailed, services, nowMs);
        const sides = { before: auditInvitation(before), after: auditInvitation(row) };
        await record({ action: 'invitation.resent', subject: id, name: row.email ?? row.name, ...sides });
        return { status: 200, body: { ...viewInvitation(row, nowMs), url: joinUrl(baseUrl, secret) } };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/invitations/{id}',
      summary: 'Revoke an invitation; its link ends at once',
      operation: 'revokeInvitation',
      tag,
      scope: 'members:write',
      peopleOnly: true,
      pool: 'people',
      params,
      answers: { 204: null },
      audit: ['invitation.revoked'],
      handle: async ({ sql, caller, params: { id }, nowMs, record }) => {
        const row = await lockInvitation(sql, caller.projectId, id);
        if (row === null) throw new Problem('not_found');
        if (stateOf(row, nowMs) === 'open') {
          await revokeInvitation(sql, id, nowMs);
          const sides = { before: auditInvitation(row), after: null };
          await record({ action: 'invitation.revoked', subject: id, name: row.email ?? row.name, ...sides });
        }
        return { status: 204 };
      },
    }),
  ];
}

/** People with the scope invite; of tokens those with all scopes may, for a project without a member. */
function requireInviter({ actor, scopes }: Caller): void {
  if (actor.type !== 'person' && !scopes.includes('*')) throw new Problem('person_required');
  if (actor.type !== 'person' || allows(scopes, 'members:write')) return;
  throw new Problem('insufficient_scope', { detail: 'this endpoint needs the scope members:write' });
}

/** Throws for a token if the project has a member, who may invite. */
function requireFirst({ actor }: Pick<Caller, 'actor'>, hasMembers: boolean): void {
  if (actor.type !== 'person' && hasMembers) throw new Problem('person_required');
}

/** Pure: a token invites the first admin of a project, and nobody else. */
function firstRoleErrors(role: unknown): FieldError[] {
  if (role === undefined || role === 'admin') return [];
  return [{ pointer: '/role', code: 'not_allowed', detail: 'must be admin: the project has no member yet' }];
}

async function requireNotInvited(sql: Sql, projectId: string, email: string | null, nowMs: number): Promise<void> {
  const open = email === null ? null : await findOpenOf(sql, projectId, email, nowMs);
  if (open !== null) throw new Problem('already_invited', { extra: { invitation_id: open.id } });
}

async function takeInvitation(sql: Sql, projectId: string, nowMs: number): Promise<void> {
  if (await takeOfDay(sql, projectId, 'invitations', 1, { maximum: invitationsPerDay, nowMs })) return;
  throw new Problem('rate_limited', {
    detail: 'the project has sent its invitations of this UTC day',
    retryAfter: untilNextDay(nowMs),
  });
}
