import type pg from 'pg';
import { z } from 'zod';
import type { Clock } from '#shared/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { BodyBudget } from '../../platform/http/bodies/body-budget.ts';
import { decodeJson } from '../../platform/http/bodies/read-body.ts';
import { withBody } from '../../platform/http/bodies/receive-body.ts';
import { allows, type Caller, keyOf } from '../../platform/http/endpoint/caller.ts';
import type { Answer, IdempotentRequest, Received } from '../../platform/http/endpoint/endpoint.ts';
import type { EndpointServices } from '../../platform/http/endpoint/endpoint-services.ts';
import { findAnswer, idempotentRequest, saveAnswer } from '../../platform/http/endpoint/idempotency.ts';
import { integerParameter, timestampMax } from '../../platform/http/endpoint/parameters.ts';
import type { CallerKey } from '../../platform/http/limits/caller-address.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import { Problem } from '../../platform/http/problem.ts';
import { allowsOrigin } from '../../platform/projects/origin.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { acceptItems, clockLag, type ItemOutcome } from './accept.ts';
import type { actorOf } from './actor.ts';
import { checkSize } from './body-limits.ts';
import { chargeBody } from './charge-body.ts';
import type { NewEvent, Receipt, Source } from './event.ts';
import { type IntakeForm, ownForm } from './intake-form.ts';
import type { Limiter } from './limiter.ts';
import { bucketsOf, requestBucket } from './limits.ts';
import type { LocalLimiter } from './local-limiter.ts';
import { receiptOf, refusalOf } from './receipt.ts';
import type { IngestProject } from './store.ts';
import type { IngestTallies, Outcome } from './tally.ts';
import type { EventWriter } from './writer.ts';

export type IngestServices = {
  authenticate(header: string): Promise<Caller>;
  findProject(id: string): Promise<IngestProject | null>;
  limiter: Limiter;
  /** Of this process: it is the one that parses. */
  bodyLimiter: LocalLimiter;
  writer: EventWriter;
  metrics: Metrics;
  tallies: IngestTallies;
  /** Shows only the project's rows. */
  pool: pg.Pool;
  /** What one project may use of that pool at once. */
  bulkheads: EndpointServices['bulkheads']['api'];
  keyring: Keyring;
  clock: Clock;
  actorOf: typeof actorOf;
  budgets: Readonly<Record<Source, BodyBudget>>;
  callerKey: CallerKey;
};

export const ingestQuerySchema = z.strictObject({
  project_id: z.string().max(40).optional(),
  sent_at: integerParameter(0, timestampMax)
    .optional()
    .describe(
      'The sender’s clock in milliseconds. If it is more than a minute off, timestamps are corrected by ' +
        'the difference.',
    ),
});

type Sender = {
  project: IngestProject;
  source: Source;
  address: string;
  sentAtMs: number | undefined;
  /** The token that sent it; '' for a page. */
  tokenId: string;
};

export const scope = 'events:write';

/** Stores the events of one request: a 202 means that they are committed. Throws a Problem for what the sender did. */
export async function ingest(
  services: IngestServices,
  received: Received,
  form: IntakeForm = ownForm,
): Promise<Answer> {
  const refused: { events: number; projectId: string | null } = { events: 1, projectId: null };
  try {
    const sender = await identify(services, received);
    refused.projectId = sender.project.id;
    requireOrigin(received, sender);
    requireType(received, sender.source);
    const who = { caller: sender.address, owner: sender.project.id };
    return await withBody(received.request, services.budgets[sender.source], who, async bytes => {
      const { project, source, address } = sender;
      chargeBody(services.bodyLimiter, { projectId: project.id, source, address }, bytes, project);
      const batch = acceptBatch(services, sender, bytes, form);
      refused.events = batch.events.length;
      const hasKey = form.isOwn && source === 'server';
      const idempotent = hasKey ? idempotencyOf(services.keyring, received, bytes) : null;
      return form.answer(await store(services, sender, batch, idempotent));
    });
  } catch (error) {
    if (error instanceof Problem) {
      services.metrics.eventsRefused.inc({ reason: error.code }, refused.events);
      const { projectId, events } = refused;
      if (projectId !== null) services.tallies.add(projectId, error.code, events, services.clock.now());
    }
    throw error;
  }
}

/** Not for pages: they have dedup_id, and a key would let anybody hold a connection of the database. */
function idempotencyOf(keyring: Keyring, { request, path }: Received, bytes: Buffer): IdempotentRequest | null {
  return idempotentRequest(keyring, request.headers['idempotency-key'], 'post', path, bytes);
}

async function store(
  services: IngestServices,
  sender: Sender,
  batch: Batch,
  idempotent: IdempotentRequest | null,
): Promise<Answer> {
  const count = (outcome: Outcome, events: number) =>
    services.tallies.add(sender.project.id, outcome, events, services.clock.now());
  for (const outcome of batch.outcomes) {
    if (!('errors' in outcome)) continue;
    const reason = outcome.errors[0]?.code ?? 'format';
    services.metrics.eventsRefused.inc({ reason });
    count(reason, 1);
  }
  const { answer, receipt } =
    idempotent !== null && batch.events.length > 0
      ? await storeOnce(services, sender, batch, idempotent)
      : await storeAtOnce(services, sender, batch);
  count('stored', receipt?.accepted ?? 0);
  count('known', receipt?.duplicates ?? 0);
  return answer;
}

/** A token identifies a server. A page without one names its project. */
async function identify(services: IngestServices, received: Received): Promise<Sender> {
  const { request, query, authorization } = received;
  const { project_id: named, sent_at: sentAtMs } = query as z.output<typeof ingestQuerySchema>;
  if (authorization === undefined && named === undefined) throw new Problem('missing_token');
  if (authorization === undefined) {
    const address = services.callerKey(request);
    await services.limiter.charge([requestBucket(address)]);
    const project = await findOr404(services, named ?? '');
    received.identified({ projectId: project.id });
    return { project, source: 'browser', address, sentAtMs, tokenId: '' };
  }
  const caller = await services.authenticate(authorization);
  received.identified(caller);
  if (!allows(caller.scopes, scope))
    throw new Problem('insufficient_scope', { detail: `this endpoint needs the scope ${scope}` });
  if (named !== undefined && named !== caller.projectId) throw new Problem('not_found');
  const project = await findOr404(services, caller.projectId);
  return { project, source: 'server', address: '', sentAtMs, tokenId: keyOf(caller) };
}

async function findOr404(services: IngestServices, id: string): Promise<IngestProject> {
  const project = await services.findProject(id);
  if (project !== null) return project;
  throw new Problem('not_found', { detail: 'no such project' });
}

/** The project says from which origins pages may send. */
function requireOrigin({ request }: Received, { project, source }: Sender): void {
  if (source !== 'browser' || project.allowed_origins.length === 0) return;
  const { origin } = request.headers;
  if (origin === undefined || !allowsOrigin(project.allowed_origins, origin)) throw new Problem('origin_not_allowed');
}

/** Pages send text/plain: it needs no preflight request and can be sent while the page closes. */
function requireType({ request }: Received, source: Source): void {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const supported = type === 'application/json' || (source === 'browser' && type === 'text/plain');
  if (!supported) throw new Problem('unsupported_media_type');
}

/** What a body holds: an outcome for each item, and the valid events with their size. */
type Batch = { outcomes: ItemOutcome[]; events: NewEvent[]; bytes: number; mayBeEmpty: boolean };

function acceptBatch(
  services: IngestServices,
  { project, source, sentAtMs }: Sender,
  bytes: Buffer,
  form: IntakeForm,
): Batch {
  const { items, prefix, mayBeEmpty } = form.read(decodeJson(bytes), services.clock.now());
  checkSize(items, source);
  // Only a JSON escape can produce NUL or a lone surrogate: UTF-8 has neither.
  const unclean = bytes.includes('\\u');
  const nowMs = services.clock.now();
  const clockLagMs = clockLag(sentAtMs, nowMs);
  const who = { projectId: project.id, linksSessions: project.link_sessions, actorOf: services.actorOf };
  const rules = { ...who, source, nowMs, unclean, clockLagMs };
  const outcomes = acceptItems(items, rules, prefix);
  const valid = outcomes.flatMap(outcome => ('event' in outcome ? [outcome] : []));
  const events = valid.map(({ event }) => event);
  return { outcomes, events, mayBeEmpty, bytes: valid.reduce((sum, outcome) => sum + outcome.bytes, 0) };
}

/** Only valid events are charged, beside the one token that every request of a page costs. */
async function charge(services: IngestServices, sender: Sender, { events, bytes }: Batch): Promise<void> {
  if (events.length === 0) return;
  const { project, source, address } = sender;
  const charged = { projectId: project.id, source, address, nowMs: services.clock.now() };
  await services.limiter.charge(bucketsOf(charged, { events: events.length, bytes }, project));
}

/** The response to a request; no receipt if it is the stored one of an earlier request. */
type StoredBatch = { answer: Answer; receipt: Receipt | null };

/**
 * Events and stored answer are written in one transaction, and a replay is found before anything is charged. It runs on
 * the project's share of the API's pool: the one that stores events and results never waits for a single sender.
 */
function storeOnce(
  services: IngestServices,
  sender: Sender,
  batch: Batch,
  request: IdempotentRequest,
): Promise<StoredBatch> {
  const projectId = sender.project.id;
  const caller = { projectId, actor: { id: sender.tokenId } };
  // With the most that the stored response takes.
  const load = { ...batch, bytes: batch.bytes + 500 + 200 * batch.outcomes.length };
  let charged = false;
  const work = async (sql: Sql): Promise<StoredBatch> => {
    const nowMs = services.clock.now();
    const stored = await findAnswer(sql, services.keyring, caller, request, nowMs);
    if (stored !== null) return { answer: stored, receipt: null };
    if (!charged) await charge(services, sender, load);
    charged = true;
    const written = await storeBatch(batch, events => services.writer.writeIn(sql, events));
    await saveAnswer(sql, { keyring: services.keyring, front: null }, caller, request, written.answer, nowMs);
    return written;
  };
  const { answers, connections } = services.bulkheads;
  const store = () => connections.run(projectId, () => transaction(services.pool, work, projectId));
  return answers.run(projectId, store);
}

async function storeAtOnce(services: IngestServices, sender: Sender, batch: Batch): Promise<StoredBatch> {
  await charge(services, sender, batch);
  return storeBatch(batch, services.writer.write);
}

async function storeBatch({ outcomes, events, mayBeEmpty }: Batch, write: EventWriter['write']): Promise<StoredBatch> {
  const written = events.length > 0 ? await write(events) : [];
  const receipt = receiptOf(outcomes, written);
  if (receipt.accepted + receipt.duplicates === 0 && !mayBeEmpty) throw refusalOf(receipt.errors);
  return { answer: { status: 202, body: receipt }, receipt };
}
