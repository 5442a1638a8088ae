import { createHash } from 'node:crypto';
import { instant, type Sql } from '../db/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Answer, Caller } from './endpoint.ts';
import { Problem } from './problem.ts';

/** Identity of a request that carries an Idempotency-Key. */
export type IdempotentRequest = { key: string; fingerprint: Uint8Array };

const keptMs = 86_400_000;
const uuid = /^("?)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\1$/i;

/** Reads the header; null without one. */
export function idempotentRequest(
  header: string | string[] | undefined,
  method: string,
  path: string,
  body: Uint8Array,
): IdempotentRequest | null {
  if (header === undefined) return null;
  const match = uuid.exec(String(header).trim());
  if (match?.[2] === undefined) {
    throw new Problem('invalid_idempotency_key', {
      errors: [{ parameter: 'Idempotency-Key', code: 'format', detail: 'must be a UUID' }],
    });
  }
  const fingerprint = createHash('sha256').update(`${method} ${path}\n`).update(body).digest();
  return { key: match[2].toLowerCase(), fingerprint };
}

/**
 * The stored answer of the same request, or null when this is the first. Takes a lock that lasts as long
 * as the transaction, so that of two at once one is told that the other runs.
 */
export async function findAnswer(
  sql: Sql,
  keyring: Keyring,
  caller: Caller,
  request: IdempotentRequest,
  nowMs: number,
): Promise<Answer | null> {
  const lock = await sql.row<{ taken: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken', [
    `${caller.projectId} ${request.key}`,
  ]);
  if (lock?.taken !== true) throw new Problem('idempotency_in_progress', { retryAfter: 1 });
  const row = await sql.row<{ fingerprint: Buffer; sealed_answer: Buffer }>(
    'select fingerprint, sealed_answer from idempotency_keys where project_id = $1 and key = $2 and created_at > $3',
    [caller.projectId, request.key, instant(nowMs - keptMs)],
  );
  if (row === null) return null;
  if (!row.fingerprint.equals(request.fingerprint)) throw new Problem('idempotency_key_reused');
  const answer = JSON.parse(keyring.open(row.sealed_answer, sealContext(caller, request))) as Answer;
  return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } };
}

/** Stores a 2xx answer in the transaction of its effect. */
export async function keepAnswer(
  sql: Sql,
  keyring: Keyring,
  caller: Caller,
  request: IdempotentRequest,
  answer: Answer,
  nowMs: number,
): Promise<void> {
  await sql.run(
    `insert into idempotency_keys (project_id, key, fingerprint, status, sealed_answer, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (project_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
       sealed_answer = excluded.sealed_answer, created_at = excluded.created_at`,
    [
      caller.projectId,
      request.key,
      request.fingerprint,
      answer.status,
      keyring.seal(JSON.stringify(answer), sealContext(caller, request)),
      instant(nowMs),
    ],
  );
}

export async function deleteAnswersBefore(sql: Sql, nowMs: number): Promise<number> {
  return sql.run('delete from idempotency_keys where created_at <= $1', [instant(nowMs - keptMs)]);
}

function sealContext(caller: Caller, request: IdempotentRequest): string {
  return `answer ${caller.projectId} ${request.key}`;
}
