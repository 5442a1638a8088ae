import { createHash } from 'node:crypto';
import { dayMs, secondMs } from '#shared/duration.ts';
import { takeOfDay } from '../../db/daily-budget-store.ts';
import { instant, type Sql } from '../../db/sql.ts';
import type { Keyring } from '../../secrets/keyring.ts';
import { Problem } from '../problem.ts';
import { type Caller, keyOf } from './caller.ts';
import type { Answer, IdempotentRequest } from './endpoint.ts';

/**
 * Keys belong to a project, stored answers to the caller that made the request: another may have fewer scopes. The
 * column `token_id` has what the caller's key is: of a token its id, else the person's.
 */
type Sender = Pick<Caller, 'projectId'> & { actor: { id: string; token?: { id: string } } };

/** What is stored: a whole answer, or of one that had no room only that the request was done. */
type Stored = Answer | { status: number; headers: Record<string, string>; dropped: true };

const storedMs = dayMs;
const replayedHeader = 'Idempotency-Replayed';
const uuid = /^("?)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\1$/i;

/** What the answers of a project's keys may take in a UTC day, and the part of it that whole ones may. */
const bytesPerDay = 512 * 1024 * 1024;
const wholeBytesPerDay = (bytesPerDay / 4) * 3;
/** What each key costs of it. A longer answer costs the rest as well. */
const keyBytes = 1024;
const rowBytes = 300;
/** Nothing that changes something answers with more. */
export const answerBytesMax = 1024 * 1024;
/** Keys of requests that change nothing that are remembered of a project's UTC day. */
export const fingerprintsPerDay = 50_000;

/**
 * Reads the header; null without one. `path` is with the query. Throws `invalid_idempotency_key`. The fingerprint is
 * keyed: from a plain hash, a password in a short body could be guessed.
 */
export function idempotentRequest(
  keyring: Pick<Keyring, 'hashes'>,
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
  const plain = createHash('sha256').update(`${method} ${path}\n`).update(body).digest();
  const [fingerprint = plain, ...others] = keyring
    .hashes(plain.toString('hex'), 'fingerprint')
    .map(text => Buffer.from(text, 'base64url'));
  // 0.12.0 stored the plain one.
  return { key, fingerprint, former: [...others, plain] };
}

/** Whether a stored fingerprint is that of a request. */
export function isOfRequest(stored: Uint8Array, { fingerprint, former }: Omit<IdempotentRequest, 'key'>): boolean {
  return [fingerprint, ...former].some(own => Buffer.compare(own, stored) === 0);
}

function readKey(header: string | string[]): string | null {
  return uuid.exec(String(header).trim())?.[2]?.toLowerCase() ?? null;
}

/** Whether an answer of this caller is stored for the key in the header, whatever the rest of the request. */
export async function hasAnswer(sql: Sql, caller: Sender, header: string | string[] | undefined): Promise<boolean> {
  const key = header === undefined ? null : readKey(header);
  if (key === null) return false;
  const row = await sql.row`
    select 1
    from idempotency_keys
    where project_id = ${caller.projectId}
      and key = ${key}
      and coalesce(token_id, ${keyOf(caller)}) = ${keyOf(caller)}`;
  return row !== null;
}

type StoredRow = { fingerprint: Buffer; sealed_answer: Buffer | null; token_id: string | null };

/**
 * The stored answer of the same request; null when this is the first, or one that changes nothing. Takes a lock until
 * the transaction ends: a concurrent request with the same key gets `idempotency_in_progress`. One that was used by
 * another token or for another request gets `idempotency_key_reused`.
 */
export async function findAnswer(
  sql: Sql,
  keyring: Keyring,
  caller: Sender,
  request: IdempotentRequest,
  nowMs: number,
): Promise<Answer | null> {
  await lockKey(sql, caller, request);
  const row = await findRow(sql, caller, request, nowMs);
  if (row === null) return null;
  if (!isOfRequest(row.fingerprint, request)) throw new Problem('idempotency_key_reused');
  if (row.sealed_answer === null) return null;
  if (row.token_id !== null && row.token_id !== keyOf(caller))
    throw new Problem('idempotency_key_reused', { detail: 'another token has used this key' });
  const stored = JSON.parse(keyring.open(row.sealed_answer, sealContext(caller, request))) as Stored;
  if ('dropped' in stored) throw notStored(stored);
  return { ...stored, headers: { ...stored.headers, [replayedHeader]: 'true' } };
}

async function findRow(
  sql: Sql,
  { projectId }: Sender,
  { key }: IdempotentRequest,
  nowMs: number,
): Promise<StoredRow | null> {
  const since = instant(nowMs - storedMs);
  return sql.row<StoredRow>`
    select fingerprint, sealed_answer, token_id
    from idempotency_keys
    where project_id = ${projectId} and key = ${key} and created_at > ${since}
    union all
    select fingerprint, null, null
    from idempotency_fingerprints
    where project_id = ${projectId} and key = ${key} and created_at > ${since}
    limit 1`;
}

function notStored({ status, headers }: Stored): Problem {
  const detail = 'the request was done, but its response could not be stored: read what it has made';
  return new Problem('limit_reached', { detail, extra: { status, location: headers?.Location ?? null } });
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

/**
 * Makes sure that there is room for an answer before anything is done, as its repetition must do nothing. Throws
 * `limit_reached`. `front` is of a pool, here and below.
 */
export async function reserveAnswer(front: Sql, { projectId }: Sender, nowMs: number): Promise<void> {
  if (await takeOfDay(front, projectId, 'answers', keyBytes, { maximum: bytesPerDay, nowMs })) return;
  throw new Problem('limit_reached', {
    detail: 'the project has used up the Idempotency-Keys of this UTC day; send requests without one',
    retryAfter: Math.ceil((dayMs - (nowMs % dayMs)) / secondMs),
  });
}

/** Stores a 2xx answer in the transaction of its effect. `front` is null if the caller pays for it otherwise. */
export async function saveAnswer(
  sql: Sql,
  { keyring, front }: { keyring: Keyring; front: Sql | null },
  caller: Sender,
  request: IdempotentRequest,
  answer: Answer,
  nowMs: number,
): Promise<void> {
  const text = await storedText(front, caller, answer, nowMs);
  const sealed = keyring.seal(text, sealContext(caller, request));
  await sql.run`
    insert into idempotency_keys (project_id, key, fingerprint, status, sealed_answer, token_id, created_at)
    values (
      ${caller.projectId}, ${request.key}, ${request.fingerprint}, ${answer.status}, ${sealed}, ${keyOf(caller)},
      ${instant(nowMs)}
    )
    on conflict (project_id, key) do update set
      fingerprint = excluded.fingerprint,
      status = excluded.status,
      sealed_answer = excluded.sealed_answer,
      token_id = excluded.token_id,
      created_at = excluded.created_at`;
}

async function storedText(front: Sql | null, { projectId }: Sender, answer: Answer, nowMs: number): Promise<string> {
  const text = JSON.stringify(answer);
  const bytes = Buffer.byteLength(text);
  const unpaid = Math.max(0, bytes + rowBytes - keyBytes);
  const fits =
    bytes <= answerBytesMax &&
    (front === null ||
      unpaid === 0 ||
      (await takeOfDay(front, projectId, 'answers', unpaid, { maximum: wholeBytesPerDay, nowMs })));
  if (fits) return text;
  const { status, headers = {} } = answer;
  return JSON.stringify({ status, headers, dropped: true } satisfies Stored);
}

/** Remembers the key of a request that changed nothing, unless the project has used very many. */
export async function rememberKey(
  front: Sql,
  { projectId }: Sender,
  { key, fingerprint }: IdempotentRequest,
  nowMs: number,
): Promise<void> {
  if (!(await takeOfDay(front, projectId, 'fingerprints', 1, { maximum: fingerprintsPerDay, nowMs }))) return;
  await front.run`
    insert into idempotency_fingerprints (project_id, key, fingerprint, created_at)
    values (${projectId}, ${key}, ${fingerprint}, ${instant(nowMs)})
    on conflict (project_id, key) do update
    set fingerprint = excluded.fingerprint, created_at = excluded.created_at`;
}

/** Deletes what is older than 24 hours. */
export async function deleteAnswersBefore(sql: Sql, nowMs: number): Promise<void> {
  await sql.run`delete from idempotency_keys where created_at <= ${instant(nowMs - storedMs)}`;
  await sql.run`delete from idempotency_fingerprints where created_at <= ${instant(nowMs - storedMs)}`;
}

function sealContext(caller: Pick<Sender, 'projectId'>, request: IdempotentRequest): string {
  return `answer ${caller.projectId} ${request.key}`;
}
