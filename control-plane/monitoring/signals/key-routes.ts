import { z } from 'zod';
import { secondMs } from '#shared/duration.ts';
import { sealed } from '../../platform/audit/sealed.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { hashAddress, newSignalKey, overlapField } from '../monitors/heartbeats/secret.ts';
import { findSignalKey, insertSignalKey, replaceSignalKey } from './store.ts';

const keySchema = z
  .object({
    signal_key: z.string().describe('Key of the project for the slugs of its heartbeats.'),
    url: z.string().describe('Address of signals, to which a slug is added.'),
  })
  .meta({ title: 'SignalKey' });

const rotateSchema = z.object({
  value: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22,64}$/, 'must be 22 to 64 letters, digits, hyphens and underscores')
    .refine(text => !text.startsWith('uph_') && !/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text), {
      message: 'must be neither the secret of a heartbeat nor a UUID',
    })
    .nullable()
    .default(null)
    .describe('A key brought along from elsewhere; null makes a new one.'),
  overlap_seconds: overlapField,
});

/** The key by which jobs of a project name its heartbeats. */
export function signalKeyEndpoints({ keyring, baseUrl }: { keyring: Keyring; baseUrl: string }): readonly Endpoint[] {
  const show = async (sql: Sql, projectId: string) => {
    const row = await findSignalKey(sql, projectId);
    if (row === null) throw new Problem('not_found');
    const key = keyring.open(row.sealed_key, keyContext(projectId));
    return { status: 200, body: { signal_key: key, url: `${baseUrl}/hb/${key}` } };
  };
  const fresh = (projectId: string, value: string) => ({
    projectId,
    hash: hashAddress(value),
    sealed: keyring.seal(value, keyContext(projectId)),
  });
  const common = { tag: 'Monitors', scope: 'monitors:write', answers: { 200: keySchema } } as const;
  return [
    endpoint({
      ...common,
      method: 'get',
      path: '/v0/signal-key',
      summary: 'Get the key of the project for the slugs of its heartbeats',
      handle: async ({ sql, caller: { projectId }, nowMs }) => {
        await insertSignalKey(sql, { ...fresh(projectId, newSignalKey()), atMs: nowMs });
        return show(sql, projectId);
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/v0/signal-key/rotate',
      summary: 'Replace the key of the project for the slugs of its heartbeats',
      body: rotateSchema,
      audit: ['project.signal_key_rotated'],
      handle: async ({ sql, caller: { projectId }, body, nowMs, record }) => {
        const value = body.value ?? newSignalKey();
        const previousUntil = nowMs + body.overlap_seconds * secondMs;
        const before = await findSignalKey(sql, projectId);
        try {
          await replaceSignalKey(sql, { ...fresh(projectId, value), previousUntil, atMs: nowMs });
        } catch (error) {
          if (!isUniqueViolation(error)) throw error;
          throw new Problem('name_taken', { detail: 'the key is that of another project' });
        }
        const shown = (key: string | null) => ({ signal_key: sealed(key) });
        await record({
          action: 'project.signal_key_rotated',
          subject: projectId,
          name: null,
          before: shown(before === null ? null : keyring.open(before.sealed_key, keyContext(projectId))),
          after: shown(value),
        });
        return show(sql, projectId);
      },
    }),
  ];
}

export function keyContext(projectId: string): string {
  return `signal-key ${projectId}`;
}
