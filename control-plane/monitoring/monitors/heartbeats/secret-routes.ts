import { z } from 'zod';
import { secondMs } from '#shared/duration.ts';
import { sealed } from '../../../platform/audit/sealed.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Caller } from '../../../platform/http/endpoint/caller.ts';
import { type Answer, type Endpoint, endpoint } from '../../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { monitorSchema } from '../shown.ts';
import { lockMonitor } from '../store.ts';
import { hashAddress, newSecret, overlapField } from './secret.ts';
import { readSecrets, replaceSecret, secretContext } from './store.ts';

type Services = {
  keyring: Keyring;
  show(sql: Sql, caller: Caller, id: string, nowMs: number): Promise<Answer>;
};

/** Replaces the address of a heartbeat. */
export function secretEndpoints({ keyring, show }: Services): readonly Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/v0/monitors/{id}/rotate-secret',
      summary: 'Replace the secret in the address of a heartbeat; the one before works for a while',
      tag: 'Monitors',
      scope: 'monitors:write',
      params: z.object({ id: z.string().max(40) }),
      body: z.object({ overlap_seconds: overlapField }),
      answers: { 200: monitorSchema },
      audit: ['monitor.secret_rotated'],
      handle: async ({ sql, caller, params, body, nowMs, record }) => {
        const monitor = await lockMonitor(sql, caller.projectId, params.id);
        if (monitor === null) throw new Problem('not_found');
        if (monitor.kind !== 'heartbeat')
          throw new Problem('wrong_kind', { detail: `monitors of kind ${monitor.kind} have no secret address` });
        const before = (await readSecrets(sql, keyring, [params.id])).get(params.id) ?? null;
        const secret = newSecret();
        await replaceSecret(sql, params.id, {
          hash: hashAddress(secret),
          sealed: keyring.seal(secret, secretContext(params.id)),
          previousUntil: nowMs + body.overlap_seconds * secondMs,
        });
        await record({
          action: 'monitor.secret_rotated',
          subject: params.id,
          name: monitor.name,
          before: { secret: sealed(before) },
          after: { secret: sealed(secret) },
        });
        return show(sql, caller, params.id, nowMs);
      },
    }),
  ];
}
