import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { transaction } from '../db/transaction.ts';
import { callerAddress, limitKey, type TrustedProxies } from '../http/caller-address.ts';
import { type Answer, allows, type Caller, type Received } from '../http/endpoint.ts';
import { findAnswer, type IdempotentRequest, idempotentRequest, keepAnswer } from '../http/idempotency.ts';
import { Problem } from '../http/problem.ts';
import { decodeJson } from '../http/read-body.ts';
import { type BodyRoom, createBodyRoom, withBody } from '../http/receive-body.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { acceptItems, type Verdict } from './accept.ts';
import { type ItemError, limits, type Receipt, type Source } from './event.ts';
import type { Limiter } from './limiter.ts';
import { bucketsOf } from './limits.ts';
import type { IngestProject, Written } from './store.ts';
import type { EventWriter } from './writer.ts';

export type IngestServices = {
  authenticate(header: string): Promise<Caller>;
  findProject(id: string): Promise<IngestProject | null>;
  limiter: Limiter;
  writer: EventWriter;
  pool: pg.Pool;
  keyring: Keyring;
  clock: Clock;
  rooms: Readonly<Record<Source, BodyRoom>>;
  trusted: TrustedProxies;
};

type Sender = { project: IngestProject; source: Source; address: string };

export const scope = 'events:write';
const mib = 1_048_576;

/** Anybody may be a page: pages have a room of their own, so that they never fill that of the servers. */
export const createBodyRooms = (): Record<Source, BodyRoom> => ({
  server: createBodyRoom({ bodyBytesMax: 5 * mib, bytesMax: 256 * mib, perCallerMax: Number.POSITIVE_INFINITY }),
  browser: createBodyRoom({ bodyBytesMax: mib / 4, bytesMax: 64 * mib, perCallerMax: 32 }),
});

/** Takes one request's events: whoever gets a 202 has them committed. */
export async function ingest(services: IngestServices, received: Received): Promise<Answer> {
  const sender = await identify(services, received);
  requireType(received, sender.source);
  return withBody(received.request, services.rooms[sender.source], sender.address, async bytes => {
    const { path, request } = received;
    const method = sender.source === 'server' ? 'post' : 'post from a page';
    const idempotent = idempotentRequest(request.headers['idempotency-key'], method, path, bytes);
    if (idempotent !== null) return takeOnce(services, sender, bytes, idempotent);
    return take(services, sender, bytes, services.writer.write);
  });
}

/** A token says who sends; a page without one names its project, and the project says which origins it takes. */
async function identify(services: IngestServices, { request, query, authorization }: Received): Promise<Sender> {
  const named = (query as { project_id?: string }).project_id;
  if (authorization === undefined && named === undefined) throw new Problem('missing_token');
  if (authorization === undefined) {
    const project = await findOr404(services, named ?? '');
    const origin = request.headers.origin;
    if (project.allowed_origins.length > 0 && !(origin !== undefined && project.allowed_origins.includes(origin)))
      throw new Problem('origin_not_allowed');
    return { project, source: 'browser', address: limitKey(callerAddress(request, services.trusted)) };
  }
  const caller = await services.authenticate(authorization);
  if (!allows(caller.scopes, scope))
    throw new Problem('insufficient_scope', { detail: `this endpoint needs the scope ${scope}` });
  if (named !== undefined && named !== caller.projectId) throw new Problem('not_found');
  return { project: await findOr404(services, caller.projectId), source: 'server', address: '' };
}

async function findOr404(services: IngestServices, id: string): Promise<IngestProject> {
  const project = await services.findProject(id);
  if (project === null) throw new Problem('not_found', { detail: 'there is no such project' });
  return project;
}

/** A page sends text/plain, which needs no question beforehand and may be sent while the page closes. */
function requireType({ request }: Received, source: Source): void {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const known = type === 'application/json' || (source === 'browser' && type === 'text/plain');
  if (!known) throw new Problem('unsupported_media_type');
}

/** With a key the effect and the kept answer are one transaction, and a replay is found before anything is charged. */
function takeOnce(
  services: IngestServices,
  sender: Sender,
  bytes: Buffer,
  request: IdempotentRequest,
): Promise<Answer> {
  const caller = { projectId: sender.project.id, tokenId: '', scopes: [] };
  let charged = false;
  return transaction(services.pool, async sql => {
    const nowMs = services.clock.now();
    const stored = await findAnswer(sql, services.keyring, caller, request, nowMs);
    if (stored !== null) return stored;
    const answer = await take(services, sender, bytes, events => services.writer.writeIn(sql, events), charged);
    charged = true;
    await keepAnswer(sql, services.keyring, caller, request, answer, nowMs);
    return answer;
  });
}

async function take(
  services: IngestServices,
  sender: Sender,
  bytes: Buffer,
  write: EventWriter['write'],
  charged = false,
): Promise<Answer> {
  const { project, source, address } = sender;
  const body = decodeJson(bytes);
  const items = Array.isArray(body) ? body : [body];
  checkSize(items, source);
  // Only an escape can bring NUL or half a surrogate pair: UTF-8 has neither.
  const unclean = bytes.includes('\\u');
  const rules = { projectId: project.id, source, nowMs: services.clock.now(), unclean };
  const verdicts = acceptItems(items, rules, index => (Array.isArray(body) ? `/${index}` : ''));
  const events = verdicts.flatMap(verdict => ('event' in verdict ? [verdict.event] : []));
  if (events.length > 0 && !charged)
    await services.limiter.charge(bucketsOf(project.id, source, address, project), events.length);
  const written = events.length > 0 ? await write(events) : [];
  const receipt = receiptOf(verdicts, written);
  if (receipt.accepted + receipt.duplicates === 0) throw refusal(receipt.errors);
  return { status: 202, body: receipt };
}

function checkSize(items: readonly unknown[], source: Source): void {
  if (items.length === 0) throw new Problem('empty_batch');
  const most = source === 'server' ? limits.batch : limits.browserBatch;
  if (items.length > most) throw new Problem('batch_too_large', { detail: `a batch may have at most ${most} events` });
}

/** Accepted are those that are new; `written` has one for each valid item, in order. */
export function receiptOf(verdicts: readonly Verdict[], written: readonly Written[]): Receipt {
  const errors: ItemError[] = [];
  const eventIds: (string | null)[] = [];
  let [place, accepted, duplicates] = [0, 0, 0];
  for (const [index, verdict] of verdicts.entries()) {
    const stored = 'event' in verdict ? (written[place++] ?? null) : null;
    eventIds.push(stored?.id ?? null);
    if ('errors' in verdict) errors.push(...verdict.errors);
    else if (stored === null)
      errors.push({ index, pointer: `/${index}`, code: 'format', detail: 'could not be stored' });
    else if (stored.duplicate) duplicates += 1;
    else accepted += 1;
  }
  const received = verdicts.length;
  const counts = { received, accepted, duplicates, rejected: received - accepted - duplicates };
  return { receipt_id: newId('rcp'), ...counts, event_ids: eventIds, errors };
}

function refusal(errors: readonly ItemError[]): Problem {
  const releases = errors.every(error => error.code === 'release_not_ingestible');
  return new Problem(releases ? 'release_not_ingestible' : 'validation_failed', { extra: { errors } });
}
