import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import type { MonitorServices } from '../monitors/configure.ts';
import { lockSecretUses, valueContext } from '../monitors/secrets/project-secrets-store.ts';
import { monitoringCounts } from '../quotas/store.ts';
import { changeSecret } from './change.ts';
import { auditSecret, secretPatchSchema, secretPostSchema, secretSchema, viewSecret } from './secret.ts';
import { deleteSecret, findSecret, insertSecret, listSecrets, listUses, lockSecret } from './store.ts';

const tag = 'Secrets';
const params = z.object({ id: z.string().max(40) });
const shownUsesMax = 20;

/** Values that monitors send without having them in their settings. */
export function secretEndpoints(services: MonitorServices): readonly Endpoint[] {
  const { keyring } = services;
  const show = async (sql: Sql, projectId: string, id: string): Promise<Answer> => {
    const row = await findSecret(sql, projectId, id);
    if (row === null) throw new Problem('not_found');
    return { status: 200, body: viewSecret(row, await listUses(sql, projectId, id)) };
  };
  return [
    endpoint({
      method: 'get',
      path: '/v0/secrets',
      summary: 'List the secrets of the project by name, without their values',
      tag,
      scope: 'secrets:read',
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(secretSchema) },
      handle: async ({ sql, caller, query }) => {
        const rows = await listSecrets(sql, caller.projectId, readPage('secrets', query));
        const body = pageOf(
          'secrets',
          query,
          rows,
          row => [row.created_at, row.name],
          row => viewSecret(row),
        );
        return { status: 200, body };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/secrets',
      summary: 'Create a secret, which monitors name as `{{secret.NAME}}`',
      tag,
      scope: 'secrets:write',
      body: secretPostSchema,
      answers: { 201: secretSchema },
      audit: ['secret.created'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        const { projectId } = caller;
        await requireQuota(sql, projectId, monitoringCounts.secrets);
        const id = await insertSecret(sql, keyring, { ...body, projectId }, nowMs);
        if (id === null) throw new Problem('name_taken');
        const after = auditSecret({ ...body, version: 1 }, body.value);
        await record({ action: 'secret.created', subject: id, name: body.name, before: null, after });
        const shown = await show(sql, projectId, id);
        return { status: 201, body: shown.body, headers: { Location: `/v0/secrets/${id}` } };
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/secrets/{id}',
      summary: 'Get a secret with the monitors that name it, without its value',
      tag,
      scope: 'secrets:read',
      params,
      answers: { 200: secretSchema },
      handle: ({ sql, caller, params }) => show(sql, caller.projectId, params.id),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/secrets/{id}',
      summary: 'Update a secret; a new value reaches the agents within seconds',
      tag,
      scope: 'secrets:write',
      params,
      body: secretPatchSchema,
      ifMatch: true,
      answers: { 200: secretSchema },
      audit: ['secret.updated', 'secret.rotated'],
      handle: async ({ sql, caller, params, body, nowMs, expectedUpdate, record }) => {
        const target = { projectId: caller.projectId, id: params.id, expectedUpdate };
        const changed = await changeSecret(sql, services, target, body, nowMs);
        if (changed !== null) await record(changed);
        return show(sql, caller.projectId, params.id);
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/secrets/{id}',
      summary: 'Delete a secret that no monitor names',
      tag,
      scope: 'secrets:write',
      params,
      answers: { 204: null },
      ifMatch: true,
      audit: ['secret.deleted'],
      handle: async ({ sql, caller: { projectId }, params, expectedUpdate, record }) => {
        await lockSecretUses(sql, projectId, 'alone');
        const row = await lockSecret(sql, projectId, params.id);
        if (row === null) throw new Problem('not_found');
        requireUnchanged(expectedUpdate, row.updated_at);
        const uses = await listUses(sql, projectId, row.id);
        if (uses.length > 0)
          throw new Problem('secret_in_use', {
            detail: `${uses.length === 1 ? 'a monitor names' : `${uses.length} monitors name`} the secret`,
            extra: { monitors: uses.slice(0, shownUsesMax), count: uses.length },
          });
        const before = auditSecret(row, keyring.open(row.sealed_value, valueContext(row.id)));
        await record({ action: 'secret.deleted', subject: row.id, name: row.name, before, after: null });
        await deleteSecret(sql, projectId, row.id);
        return { status: 204 };
      },
    }),
  ];
}
