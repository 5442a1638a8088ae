import { randomBytes } from 'node:crypto';
import { inspect, isDeepStrictEqual } from 'node:util';
import got, { type Got, type Method } from 'got';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import { type RunningControlPlane, startControlPlane } from '#control-plane/control-plane.ts';
import { enrollAgent } from '#control-plane/monitoring/agents/enroll.ts';
import { insertRegion } from '#control-plane/monitoring/agents/store.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { createToken } from '#control-plane/platform/projects/create-token.ts';
import type { Plan } from '#control-plane/platform/projects/project.ts';
import { insertProject } from '#control-plane/platform/projects/store.ts';
import { setImportsPerDay } from '#control-plane/publishing/subscribers/import-store.ts';
import type { Clock } from '#shared/clock.ts';
import { secondMs } from '#shared/duration.ts';
import { errorCode } from '#shared/error-code.ts';
import { createLog } from '#shared/log.ts';
import { wait } from '#shared/wait.ts';
import { isClone } from './database.ts';
import { keepThreads } from './kept-threads.ts';
import { patienceMs } from './patience.ts';
import { patientPools } from './patient-pools.ts';
import { sharedPool } from './shared-pool.ts';

keepThreads();

/** A key all replicas of one test file share. */
export const testSecretKey = randomBytes(32).toString('base64');

/** A free loopback port, no rate limit and no wait before votes expire. */
export function configFor(databaseUrl: string, changes: Partial<ControlPlaneConfig> = {}): ControlPlaneConfig {
  return {
    databaseUrl,
    allowSuperuser: false,
    storage: 'auto',
    roles: ['gateway', 'front', 'worker'],
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'http://localhost:8080',
    trustedProxies: [],
    secretsKeys: [testSecretKey],
    metricsToken: null,
    rateLimitPerMinute: 10_000_000,
    sessionHours: 12,
    rateLimitBurst: 10_000_000,
    outboundPolicy: { base: 'loopback', allow: [] },
    dnsServers: [],
    smtpUrl: null,
    mailFrom: 'status@upquorum.example',
    dkim: null,
    signIn: { methods: ['passkey', 'token'], oidc: null, operators: [] },
    slackApiUrl: 'http://127.0.0.1:9/api',
    rdapBootstrapUrl: null,
    pagerdutyApiUrl: 'http://127.0.0.1:9',
    opsgenieApiUrl: 'http://127.0.0.1:9',
    telegramApiUrl: 'http://127.0.0.1:9',
    channelMailDomains: [],
    sweepHoldSeconds: 0,
    auditDays: 400,
    operatorProject: null,
    pagesDir: null,
    stopWithStdin: false,
    logLevel: process.env.TEST_LOG_LEVEL ?? 'silent',
    nats: null,
    firstSetup: null,
    ...changes,
  };
}

/** A program that another test is just starting holds a copy of every listening socket until it is loaded. */
const heldPortMs = 10 * secondMs;

/** A replica, on a free port unless `changes` names one. */
export async function startReplica(
  databaseUrl: string,
  changes: Partial<ControlPlaneConfig> = {},
  clock?: Clock,
): Promise<RunningControlPlane> {
  const config = configFor(databaseUrl, changes);
  const start = () => startControlPlane(config, createLog({ name: 'test', level: config.logLevel }), clock);
  for (const endMs = performance.now() + heldPortMs; ; await wait(50)) {
    try {
      return await start();
    } catch (error) {
      if (config.port === 0 || errorCode(error) !== 'EADDRINUSE' || performance.now() > endMs) throw error;
    }
  }
}

/** What a call came back with; `body` is parsed JSON, or text when it is none. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Reply = { status: number; headers: Record<string, string | string[] | undefined>; body: any };

/** Calls the API with a token; never throws for a status. */
export type Api = (method: Method, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

/**
 * Does what the API asks of a caller that met another change of the same row: waits, and tries again. On a busy machine
 * everybody meets one.
 */
export function apiOf(baseUrl: string, token: string): Api {
  const once = impatientApiOf(baseUrl, token);
  const tried = async (left: number, ...call: Parameters<Api>): Promise<Reply> => {
    const reply = await once(...call);
    if (left === 0 || reply.status !== 503 || !String(reply.body.detail).startsWith('another change')) return reply;
    await wait(Number(reply.headers['retry-after']) * secondMs);
    return tried(left - 1, ...call);
  };
  return (...call) => tried(4, ...call);
}

/** Sends each request once. */
export function impatientApiOf(baseUrl: string, token: string): Api {
  const client: Got = got.extend({
    prefixUrl: baseUrl,
    throwHttpErrors: false,
    retry: { limit: 0 },
    timeout: { request: patienceMs },
  });
  return async (method, path, body, headers = {}) => {
    const answer = await client(path.replace(/^\//, ''), {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.statusCode, headers: answer.headers, body: parse(answer.body) };
  };
}

/** A project with a token, made as the operator makes it. */
export async function createTenant(
  databaseUrl: string,
  scopes: readonly string[] = ['*'],
  plan: Plan = 'team',
): Promise<{ projectId: string; token: string }> {
  return withSql(databaseUrl, async sql => {
    const project = await insertProject(sql, 'Test', plan, Date.now());
    const token = await createToken(sql, { projectId: project.id, name: 'test', scopes, expiresAt: null }, Date.now());
    return { projectId: project.id, token: token.token };
  });
}

/** Lets a project import subscribers, as the operator does. */
export function allowImports(databaseUrl: string, projectId: string, perDay = 1_000_000): Promise<void> {
  return withSql(databaseUrl, sql => setImportsPerDay(sql, projectId, perDay, Date.now()));
}

/** Regions, each with an agent's secret; private ones when a project is given. */
export async function createRegions(
  databaseUrl: string,
  codes: readonly string[],
  projectId: string | null = null,
): Promise<Record<string, { id: string; secret: string }>> {
  return withSql(databaseUrl, async sql => {
    const agents: Record<string, { id: string; secret: string }> = {};
    for (const code of codes) {
      await insertRegion(sql, { code, name: code, projectId }, Date.now());
      const agent = await enrollAgent(sql, code, `${code}-1`, Date.now());
      if (agent !== null) agents[code] = { id: agent.id, secret: agent.secret };
    }
    return agents;
  });
}

/** Runs statements as the operator does: no row is hidden. Of a clone, all tests of a file share the sessions. */
export async function withSql<Result>(
  databaseUrl: string,
  work: (sql: ReturnType<typeof sqlOf>) => Promise<Result>,
): Promise<Result> {
  if (isClone(databaseUrl)) return work(sqlOf(sharedPool(databaseUrl)));
  const pools = patientPools(databaseUrl);
  try {
    return await work(sqlOf(pools.background));
  } finally {
    await pools.end();
  }
}

/**
 * Reads until the value equals what is expected, or satisfies a predicate, and returns it. Throws with the last value
 * after `withinMs`.
 */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  expected: NoInfer<Value> | ((value: NoInfer<Value>) => boolean),
  withinMs = patienceMs,
): Promise<Value> {
  const isExpected = isPredicate(expected) ? expected : (value: Value) => isDeepStrictEqual(value, expected);
  const startedMs = performance.now();
  for (;;) {
    const value = await read();
    if (isExpected(value)) return value;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > withinMs) {
      const wanted = isPredicate(expected) ? 'what was expected' : show(expected);
      throw new Error(`not ${wanted} within ${Math.round(waitedMs)} ms: ${show(value)}`);
    }
    await wait(50);
  }
}

/** Calls until the answer is no 503, as a client does: on a busy machine one of many calls at once waits too long. */
export function patiently(call: () => Promise<Reply>): Promise<Reply> {
  return until(call, ({ status }) => status !== 503);
}

function isPredicate<Value>(expected: Value | ((value: Value) => boolean)): expected is (value: Value) => boolean {
  return typeof expected === 'function';
}

function show(value: unknown): string {
  return inspect(value, { depth: 4, maxStringLength: 1000 }).slice(0, 2000);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
