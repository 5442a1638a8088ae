import { z } from 'zod';
import type { AuditAction } from '../../../platform/audit/actions.ts';
import type { Change } from '../../../platform/audit/entry.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { allows, type Caller } from '../../../platform/http/endpoint/caller.ts';
import { type Answer, type Endpoint, endpoint } from '../../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { requireQuota } from '../../../platform/project-limits/quota-store.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { newWebhookSecret } from '../../../publishing/subscribers/subscriber.ts';
import { deliveryCounts } from '../../quotas/store.ts';
import { cancelOfRecipient } from '../cancel-store.ts';
import { auditWebhook } from './audit.ts';
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  rotateWebhookSecret,
  updateWebhook,
  viewWebhook,
  type WebhookRow,
} from './store.ts';
import { secretRotationSchema, webhookPatchSchema, webhookPostSchema, webhookSchema } from './webhook.ts';

const params = z.object({ id: z.string().max(40) });
const tag = 'Webhooks';

/** Webhooks that notify a project's own systems of alerts and incidents. */
export function webhookEndpoints({ keyring }: { keyring: Keyring }): readonly Endpoint[] {
  const inClear = (caller: Caller) => allows(caller.scopes, 'project:write');
  const show = async (sql: Sql, caller: Caller, id: string, nowMs: number): Promise<Answer> => {
    const row = await findWebhook(sql, caller.projectId, id);
    if (row === null) throw new Problem('not_found');
    return { status: 200, body: viewWebhook(row, keyring, inClear(caller), nowMs) };
  };
  const lock = async (sql: Sql, caller: Caller, id: string): Promise<WebhookRow> => {
    const row = await lockWebhook(sql, caller.projectId, id);
    if (row === null) throw new Problem('not_found');
    return row;
  };
  /** The entry of a change; a webhook has no name. */
  const entry = (action: AuditAction, before: WebhookRow | null, after: WebhookRow | null): Change => {
    const [from, to] = [before, after].map(row => (row === null ? null : auditWebhook(row, keyring)));
    return { action, subject: (after ?? before)?.id ?? '', name: null, before: from ?? null, after: to ?? null };
  };
  return [
    endpoint({
      method: 'get',
      path: '/v0/webhooks',
      summary: 'List webhooks, newest first',
      tag,
      scope: 'project:read',
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(webhookSchema) },
      handle: async ({ sql, caller, query, nowMs }) => {
        const rows = await listWebhooks(sql, caller.projectId, readPage('webhooks', query));
        const view = (row: (typeof rows)[number]) => viewWebhook(row, keyring, inClear(caller), nowMs);
        return { status: 200, body: pageOf('webhooks', query, rows, row => [row.created_at, row.id], view) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/webhooks',
      summary: 'Create a webhook; its signing secret is shown only once',
      tag,
      scope: 'project:write',
      body: webhookPostSchema,
      answers: { 201: webhookSchema },
      audit: ['webhook.created'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        await requireQuota(sql, caller.projectId, deliveryCounts.webhooks);
        const secret = newWebhookSecret();
        const id = await insertWebhook(sql, keyring, caller.projectId, body, secret, nowMs);
        await record(entry('webhook.created', null, await findWebhook(sql, caller.projectId, id)));
        const shown = await show(sql, caller, id, nowMs);
        return {
          status: 201,
          body: { ...(shown.body as object), secret },
          headers: { Location: `/v0/webhooks/${id}` },
        };
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/webhooks/{id}',
      summary: 'Get a webhook',
      tag,
      scope: 'project:read',
      params,
      answers: { 200: webhookSchema },
      handle: ({ sql, caller, params, nowMs }) => show(sql, caller, params.id, nowMs),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/webhooks/{id}',
      summary: 'Update a webhook; its secret stays the same',
      tag,
      scope: 'project:write',
      params,
      body: webhookPatchSchema,
      answers: { 200: webhookSchema },
      audit: ['webhook.updated'],
      handle: async ({ sql, caller, params, body, nowMs, record }) => {
        const before = await lock(sql, caller, params.id);
        await updateWebhook(sql, keyring, caller.projectId, params.id, body);
        await record(entry('webhook.updated', before, await findWebhook(sql, caller.projectId, params.id)));
        return show(sql, caller, params.id, nowMs);
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/webhooks/{id}/rotate-secret',
      summary:
        'Rotate the signing secret of a webhook; the new one is shown only once, and for a while both sign messages',
      tag,
      scope: 'project:write',
      params,
      body: secretRotationSchema,
      answers: { 200: webhookSchema },
      audit: ['webhook.secret_rotated'],
      handle: async ({ sql, caller, params, body, nowMs, record }) => {
        const before = await lock(sql, caller, params.id);
        const secret = newWebhookSecret();
        const untilMs = nowMs + body.overlap_seconds * 1000;
        await rotateWebhookSecret(sql, keyring, caller.projectId, params.id, secret, untilMs);
        await record(entry('webhook.secret_rotated', before, await findWebhook(sql, caller.projectId, params.id)));
        const shown = await show(sql, caller, params.id, nowMs);
        return { status: 200, body: { ...(shown.body as object), secret } };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/webhooks/{id}',
      summary: 'Delete a webhook; its queued deliveries are cancelled',
      tag,
      scope: 'project:write',
      params,
      answers: { 204: null },
      audit: ['webhook.deleted'],
      handle: async ({ sql, caller, params, nowMs, record }) => {
        await record(entry('webhook.deleted', await lock(sql, caller, params.id), null));
        await deleteWebhook(sql, caller.projectId, params.id);
        await cancelOfRecipient(sql, params.id, 'the webhook was deleted', nowMs);
        return { status: 204 };
      },
    }),
  ];
}
