import { createHash } from 'node:crypto';
import { dayMs } from '#shared/duration.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { Answer, Caller, IdempotentRequest } from './endpoint.ts';
import { Problem } from './problem.ts';

/** Keys belong to a project, whoever sends them. */
type Sender = Pick<Caller, 'projectId'>;

const storedMs = dayMs;
const replayedHeader = 'Idempotency-Replayed';
const uuid = /^("?)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\1$/i;

/** Reads the header; null without one. `path` is with the query. Throws `invalid_idempotency_key`. */
export function idempotentRequest(
  header: string | string[] | undefined,
  method: string,
  path: string,
  body: Uint8Array,
): IdempotentRequest | null {
  if (header === undefined) return null;
  const key = readKey(header);
  if (key === null) {
    throw new Problem('invalid_idempotency_key', {
      errors: [{ parameter: 'Idempotency-Key', code: 'format', detail: 'must be a UUID' }],
    });
  }
  const fingerprint = createHash('sha256').update(`${method} ${path}\n`).update(body).digest();
  return { key, fingerprint };
}

function readKey(header: string | string[]): string | null {
  return uuid.exec(String(header).trim())?.[2]?.toLowerCase() ?? null;
}

/** Whether an answer is stored for the key in the header, whatever the rest of the request. */
export async function hasAnswer(sql: Sql, caller: Sender, header: string | string[] | undefined): Promise<boolean> {
  const key = header === undefined ? null : readKey(header);
  if (key === null) return false;
  const row = await sql.row`
    select 1
    from idempotency_keys
    where project_id = ${caller.projectId} and key = ${key}`;
  return row !== null;
}

type StoredRow = { fingerprint: Buffer; sealed_answer: Buffer };

/**
 * The stored answer of the same request, or null when this is the first. Takes a lock until the transaction ends: a
 * concurrent request with the same key gets `idempotency_in_progress`, one with another body `idempotency_key_reused`.
 */
export async function findAnswer(
  sql: Sql,
  keyring: Keyring,
  caller: Sender,
  request: IdempotentRequest,
  nowMs: number,
): Promise<Answer | null> {
  await lockKey(sql, caller, request);
  const row = await sql.row<StoredRow>`
    select fingerprint, sealed_answer
    from idempotency_keys
    where project_id = ${caller.projectId} and key = ${request.key} and created_at > ${instant(nowMs - storedMs)}`;
  if (row === null) return null;
  if (!row.fingerprint.equals(request.fingerprint)) throw new Problem('idempotency_key_reused');
  const answer = JSON.parse(keyring.open(row.sealed_answer, sealContext(caller, request))) as Answer;
  return { ...answer, headers: { ...answer.headers, [replayedHeader]: 'true' } };
}

/** Whether the answer is one that was stored. */
export function isReplay(answer: Answer): boolean {
  return answer.headers?.[replayedHeader] !== undefined;
}

async function lockKey(sql: Sql, caller: Sender, request: IdempotentRequest): Promise<void> {
  const lock = await sql.row<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${caller.projectId} ${request.key}`}, 0)) as taken`;
  if (lock?.taken !== true) throw new Problem('idempotency_in_progress', { retryAfter: 1 });
}

/** Stores a 2xx answer in the transaction of its effect. */
export async function saveAnswer(
  sql: Sql,
  keyring: Keyring,
  caller: Sender,
  request: IdempotentRequest,
  answer: Answer,
  nowMs: number,
): Promise<void> {
  const sealed = keyring.seal(JSON.stringify(answer), sealContext(caller, request));
  await sql.run`
    insert into idempotency_keys (project_id, key, fingerprint, status, sealed_answer, created_at)
    values (
      ${caller.projectId}, ${request.key}, ${request.fingerprint}, ${answer.status}, ${sealed}, ${instant(nowMs)}
    )
    on conflict (project_id, key) do update set
      fingerprint = excluded.fingerprint,
      status = excluded.status,
      sealed_answer = excluded.sealed_answer,
      created_at = excluded.created_at`;
}

/** Deletes answers older than 24 hours; returns how many. */
export async function deleteAnswersBefore(sql: Sql, nowMs: number): Promise<number> {
  return sql.run`delete from idempotency_keys where created_at <= ${instant(nowMs - storedMs)}`;
}

function sealContext(caller: Sender, request: IdempotentRequest): string {
  return `answer ${caller.projectId} ${request.key}`;
}
