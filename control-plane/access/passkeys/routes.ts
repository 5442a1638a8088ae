import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { originOf } from '../../platform/http/endpoint/recording.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { Problem } from '../../platform/http/problem.ts';
import { recordEverywhere } from '../people/record.ts';
import { lockPerson } from '../people/store.ts';
import { requireOtherWay, type WaysIn } from '../people/ways-in.ts';
import { deletePasskey, listPasskeys, type PasskeyRow, renamePasskey } from './store.ts';

const own = { tag: 'People', scope: null, peopleOnly: true, anywhere: true, pool: 'people' } as const;
const params = z.object({ id: z.string().max(40) });

const passkeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    synced: z.boolean(),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
  })
  .meta({ title: 'Passkey' });

/** A passkey as the API shows it. */
export function viewPasskey({ id, name, synced, created_at, last_used_at }: PasskeyRow) {
  return {
    id,
    name,
    synced,
    created_at: toTimestamp(created_at),
    last_used_at: last_used_at === null ? null : toTimestamp(last_used_at),
  };
}

/** One's own passkeys. They are made where somebody signs in. */
export function passkeyEndpoints({
  recordChange,
  signIn,
}: {
  recordChange: RecordChange;
  signIn: WaysIn;
}): readonly Endpoint[] {
  return [
    endpoint({
      ...own,
      method: 'get',
      path: '/v0/me/passkeys',
      summary: 'List your passkeys',
      answers: { 200: z.object({ data: z.array(passkeySchema) }) },
      handle: async ({ sql, caller }) => {
        const rows = await listPasskeys(sql, caller.actor.id);
        return { status: 200, body: { data: rows.map(viewPasskey) } };
      },
    }),
    endpoint({
      ...own,
      method: 'patch',
      path: '/v0/me/passkeys/{id}',
      summary: 'Rename a passkey',
      operation: 'renamePasskey',
      params,
      body: z.object({ name: lineSchema(100) }),
      answers: { 200: passkeySchema },
      audit: ['passkey.updated'],
      handle: async ({ sql, caller, params: { id }, body: { name }, nowMs, requestId }) => {
        const row = await findOwn(sql, caller, id);
        await renamePasskey(sql, id, name);
        const sides = { before: { name: row.name }, after: { name } };
        const change = { action: 'passkey.updated', subject: id, name, ...sides } as const;
        const about = { personId: row.person_id, origin: originOf({}, caller, requestId), change };
        await recordEverywhere(sql, recordChange, about, nowMs);
        return { status: 200, body: viewPasskey({ ...row, name }) };
      },
    }),
    endpoint({
      ...own,
      method: 'delete',
      path: '/v0/me/passkeys/{id}',
      summary: 'Delete a passkey',
      operation: 'deletePasskey',
      confirmed: true,
      params,
      answers: { 204: null },
      audit: ['passkey.deleted'],
      handle: async ({ sql, caller, params: { id }, nowMs, requestId }) => {
        // Of two that are deleted at once one stays.
        const person = await lockPerson(sql, caller.actor.id);
        const row = await findOwn(sql, caller, id);
        if (person === null) throw new Problem('not_found');
        requireOtherWay(person, { passkey: true }, signIn);
        await deletePasskey(sql, id);
        const before = { name: row.name, synced: row.synced };
        const change = { action: 'passkey.deleted', subject: id, name: row.name, before, after: null } as const;
        const about = { personId: row.person_id, origin: originOf({}, caller, requestId), change };
        await recordEverywhere(sql, recordChange, about, nowMs);
        return { status: 204 };
      },
    }),
  ];
}

/** A passkey of the caller's. Throws `not_found`. */
async function findOwn(sql: Sql, caller: Caller, id: string): Promise<PasskeyRow> {
  const rows = await listPasskeys(sql, caller.actor.id);
  const row = rows.find(passkey => passkey.id === id);
  if (row === undefined) throw new Problem('not_found');
  return row;
}
