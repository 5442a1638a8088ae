import type Router from '@koa/router';
import type Koa from 'koa';
import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { type BodyBudget, reserveBodyFor } from '../../platform/http/bodies/body-budget.ts';
import { readBytes } from '../../platform/http/bodies/read-body.ts';
import type { CallerKey } from '../../platform/http/limits/caller-address.ts';
import { Problem } from '../../platform/http/problem.ts';
import { problems } from '../../platform/http/problem-codes.ts';
import { CircuitBreaker } from '../../platform/resilience/circuit-breaker.ts';
import { staleIfError } from '../../platform/resilience/stale-if-error.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { Recorder } from '../checks/intake/recorder.ts';
import { sealOutput } from '../checks/outputs.ts';
import { normalAlias } from '../monitors/heartbeats/configure.ts';
import { hashAddress } from '../monitors/heartbeats/secret.ts';
import { isUuid } from '../monitors/kinds/heartbeat.ts';
import { addressOf, type Named, type SignalAddress } from './address.ts';
import { type CreateServices, createBySlug } from './create.ts';
import { SignalLimits } from './limits.ts';
import { type Incoming, outputOf, resultOfSignal } from './receive.ts';
import { findProjectOfKey, findReceiverBySlug, findReceivers, type Receiver } from './store.ts';

export type SignalServices = CreateServices & {
  pools: { front: pg.Pool; api: pg.Pool };
  keyring: Keyring;
  clock: Clock;
  callerKey: CallerKey;
  forms: BodyBudget;
  /** What signals are handed to, as what agents report. */
  recorder: Pick<Recorder, 'record' | 'full'>;
  /** Whether signals are taken for a while also when the database is away. */
  outlivesDatabase: boolean;
};

const bodyMax = 1_048_576;
const storeMs = 10 * secondMs;
/** By the addresses that were found lately signals are taken while the database is away. */
const known = { forMs: 15 * minuteMs, countMax: 50_000 } as const;
const unknownHere = 'no heartbeat has this address';

/** Takes signals of jobs, without a token: the address itself is the secret. */
export function addSignalRoutes(router: Router, services: SignalServices): void {
  const limits = new SignalLimits();
  const lookUp = (key: string) => findReceiver(services, JSON.parse(key) as Named);
  const find = services.outlivesDatabase ? staleIfError(new CircuitBreaker(), lookUp, known) : lookUp;
  const paths = [
    /^\/(?:hb|ping)\/.+$/,
    /^\/api\/push\/[^/]+$/,
    /^\/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:\/.*)?$/,
  ];
  const handle = async (context: Koa.Context) => {
    context.set('Cache-Control', 'no-store');
    const address = addressOf(context.path);
    try {
      await receive(context, services, { limits, find }, address);
    } catch (error) {
      if (!(error instanceof Problem) || address?.signal.source !== 'kuma') throw error;
      context.status = error.status;
      context.state.problem = error.code;
      if (error.details.retryAfter !== undefined) context.set('Retry-After', String(error.details.retryAfter));
      context.body = { ok: false, msg: error.details.detail ?? problems[error.code][1] };
    }
  };
  for (const path of paths) {
    router.get(path, handle);
    router.post(path, handle);
  }
}

async function receive(
  context: Koa.Context,
  services: SignalServices,
  { limits, find }: { limits: SignalLimits; find(key: string): Promise<Receiver | null> },
  address: SignalAddress | null,
): Promise<void> {
  const { callerKey, forms, clock, keyring } = services;
  const nowMs = clock.now();
  const caller = callerKey(context.req);
  const unknown = () => {
    limits.charge('unknown', caller, nowMs);
    return new Problem('not_found', { detail: unknownHere });
  };
  if (address === null) throw unknown();
  const incoming = incomingOf(address, context.query);
  const existing = await find(JSON.stringify(address.named));
  const found =
    existing === null
      ? await create(services, limits, address.named, context, nowMs)
      : { receiver: existing, created: false };
  if (found === null) throw unknown();
  const { receiver, created } = found;
  if (receiver.post_only && context.method !== 'POST')
    throw new Problem('method_not_allowed', { headers: { Allow: 'POST' }, detail: 'this heartbeat takes POST alone' });
  limits.charge('secret', receiver.monitor_id, nowMs);
  limits.charge('project', receiver.project_id, nowMs);
  const owner = { caller, owner: receiver.project_id };
  const body =
    context.method === 'POST'
      ? await readBytes(context.req, bodyMax, reserveBodyFor(context.res, forms, owner).take)
      : Buffer.alloc(0);
  const text = incoming.message ?? outputOf(body);
  const at = Math.floor(clock.now());
  const sealed = text === null || !receiver.keep_output ? null : sealOutput(keyring, receiver.monitor_id, text);
  await store(services, resultOfSignal(receiver, incoming, sealed, at));
  context.status = created ? 201 : 200;
  context.body = address.signal.source === 'kuma' ? { ok: true } : created ? 'Created' : 'OK';
}

/** What is in the query of an address. */
function incomingOf({ signal }: SignalAddress, query: Koa.Context['query']): Incoming & { message: string | null } {
  const of = (name: string) => [query[name] ?? []].flat()[0];
  const rid = of('rid') ?? null;
  if (rid !== null && !isUuid(rid))
    throw new Problem('invalid_parameter', {
      detail: 'rid must be a UUID',
      errors: [{ parameter: 'rid', code: 'format', detail: 'must be a UUID' }],
    });
  const joined = rid?.toLowerCase() ?? null;
  if (signal.source !== 'kuma') return { signal, rid: joined, latencyMs: null, message: null };
  const isUp = (of('status') ?? 'up').toLowerCase() === 'up';
  const ping = Number(of('ping') ?? Number.NaN);
  const latencyMs = ping >= 0 && ping <= 86_400_000 && of('ping') !== '' ? ping : null;
  const message = (of('msg') ?? '').replaceAll('\0', '').slice(0, 250);
  return {
    signal: { ...signal, type: isUp ? 'success' : 'fail' },
    rid: joined,
    latencyMs,
    message: message === '' ? null : message,
  };
}

async function findReceiver({ pools, clock }: SignalServices, named: Named): Promise<Receiver | null> {
  const sql = sqlOf(pools.front);
  const nowMs = clock.now();
  if (named.by !== 'slug') {
    const text = named.by === 'secret' ? named.secret : normalAlias(named.alias);
    const [receiver] = await findReceivers(sql, [hashAddress(text)], nowMs);
    return receiver ?? null;
  }
  const projectId = await findProjectOfKey(sql, hashAddress(named.key), nowMs);
  return projectId === null ? null : findReceiverBySlug(sql, projectId, named.slug);
}

/** The heartbeat of a slug that no other has, if the address asks for it; null if it does not. */
async function create(
  services: SignalServices,
  limits: SignalLimits,
  named: Named,
  context: Koa.Context,
  nowMs: number,
): ReturnType<typeof createBySlug> {
  if (named.by !== 'slug' || [context.query.create ?? []].flat()[0] !== '1') return null;
  const projectId = await findProjectOfKey(sqlOf(services.pools.front), hashAddress(named.key), nowMs);
  if (projectId === null) return null;
  limits.charge('create', projectId, nowMs);
  return createBySlug(services, projectId, named.slug, { nowMs, requestId: context.state.requestId });
}

/** Resolves once it is stored; throws `unavailable` if that takes too long. */
async function store({ recorder }: SignalServices, reported: ReturnType<typeof resultOfSignal>): Promise<void> {
  const sender = { agentId: reported.result.monitor_id, region: reported.region, isPrivate: false };
  const unavailable = () => new Problem('unavailable', { retryAfter: 5, detail: 'the signal could not be stored' });
  if (recorder.full(sender.agentId)) throw unavailable();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(resolve, storeMs, 'late');
  });
  try {
    const stored = await Promise.race([recorder.record(sender, [reported]).catch(() => 'late' as const), late]);
    if (stored === 'late' || stored[0] !== null) throw unavailable();
  } finally {
    clearTimeout(timer);
  }
}
