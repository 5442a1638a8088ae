import { type ApiClient, createApiClient } from '#control-plane/web/api-client/client.ts';
import { lineType, type OnStep, readAnswer } from '#control-plane/web/api-client/read-answer.ts';

/** One rejected field, as the API names it. */
export type FieldError = { pointer?: string; parameter?: string; code: string; detail: string };

/** An error response: RFC 9457, in the API's own words. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldError[];
  readonly body: Readonly<Record<string, unknown>>;
  /** What the server's log calls the request; null if no answer came from it. */
  readonly requestId: string | null;

  constructor(status: number, body: Record<string, unknown>, requestId: string | null = null) {
    super(String(body.detail ?? body.title ?? `the server responded with status ${status}`));
    this.status = status;
    this.code = String(body.code ?? '');
    this.errors = Array.isArray(body.errors) ? (body.errors as FieldError[]) : [];
    this.body = body;
    this.requestId = requestId;
  }
}

export type List<Item> = { data: Item[]; pagination: { has_more: boolean; next_cursor: string | null } };

/** Every call throws ApiProblem for an error response, and any other error if the server cannot be reached. */
export type Api = {
  /** Checked against the OpenAPI document: `await read(api.client.GET('/v0/project'))`. */
  client: ApiClient;
  /** The same for calls that take long: says, for each step, how much is done, until the answer is there. */
  stepwise(onStep: OnStep): ApiClient;
  /** A POST to what is no part of that document, such as `/auth/passkeys/options`. */
  post(path: string, body: object): Promise<unknown>;
  /** The body of a GET as it is, of this media type. */
  download(path: string, accept: string): Promise<Blob>;
  /** The time by the server's clock, so that ages do not depend on this machine's. */
  nowMs(): number;
};

/**
 * Requests that change nothing may be sent twice, and are often: each key would be stored for a day. `/auth` has none.
 */
const changesNothing =
  /^\/auth\/|^\/v0\/(routes\/match|monitors\/test|maintenances\/preview)$|\/(preview|backtest)$|\?dry_run=true$/;
const concurrencyMax = 6;
const attemptsMax = 8;
const retryAfterMaxSeconds = 30;
const timeoutMs = 15_000;
/** A test waits for what it tests. */
const testTimeoutMs = 60_000;
const downloadTimeoutMs = 300_000;

type ApiOptions = {
  csrfToken(): string;
  /** The project of the tab, which a person's requests name. */
  projectId?: string | null;
  /** Called when the server no longer accepts the session. */
  signedOut(): void;
  /** Called when the person is no longer in the project. */
  notMember?(): void;
  /** Asks the person to show, by one of these methods, that it is them; false if they do not. */
  confirm?(methods: readonly string[]): Promise<boolean>;
  /** Called with the time until which requests wait, because the server asked for fewer. */
  onWait?(untilMs: number): void;
  fetch?: typeof fetch;
};

/** The only way to the server: limits concurrency, honours `Retry-After` and repeats a POST under the same key. */
export function createApi(options: ApiOptions): Api {
  const { fetch = globalThis.fetch.bind(globalThis) } = options;
  const limited = limitConcurrency(concurrencyMax);
  const keys = new Map<string, string>();
  let notBeforeMs = 0;
  let offsetMs = 0;

  type Conditions = { 'Idempotency-Key'?: string; 'If-Match'?: string };
  const request = async (
    method: string,
    path: string,
    body: string | undefined,
    conditions: Conditions,
    isStepwise: boolean,
  ): Promise<Response> => {
    while (notBeforeMs > Date.now()) await wait(notBeforeMs - Date.now());
    const response = await fetch(path, {
      method,
      headers: {
        ...sessionHeaders(options),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...conditions,
        ...(isStepwise ? { Accept: lineType } : {}),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(
        isStepwise ? downloadTimeoutMs : path === '/v0/monitors/test' ? testTimeoutMs : timeoutMs,
      ),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
    offsetMs = measureOffset(response.headers.get('date'), offsetMs, Date.now());
    return response;
  };

  const call = async (
    method: string,
    path: string,
    text: string | undefined,
    ifMatch: string | null,
    onStep?: OnStep,
  ): Promise<unknown> => {
    const operation = `${path} ${text ?? ''}`;
    // The key lives until an answer arrives: a retry after a lost connection repeats the request, not its effect.
    const needsKey = method === 'POST' && !isWithoutChange(path, text);
    const key = needsKey ? (keys.get(operation) ?? newKey()) : undefined;
    if (key !== undefined) keys.set(operation, key);
    const conditions = {
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      ...(ifMatch === null ? {} : { 'If-Match': ifMatch }),
    };
    let isConfirmed = false;
    for (let attempt = 1; ; attempt++) {
      const response = await limited(() => request(method, path, text, conditions, onStep !== undefined));
      const answer = await readAnswer(response, onStep);
      const mayRetry = response.status === 429 || answer.code === 'idempotency_in_progress';
      if (mayRetry && attempt < attemptsMax) {
        const seconds = Math.min(retryAfterMaxSeconds, Number(response.headers.get('retry-after') ?? 1));
        notBeforeMs = Math.max(notBeforeMs, Date.now() + seconds * 1000);
        if (response.status === 429) options.onWait?.(notBeforeMs);
        // Jitter, so that waiting requests do not all return at the same moment.
        await wait(seconds * 1000 * (1 + Math.random()));
        continue;
      }
      // Once: who has confirmed and is asked again has another problem.
      if (answer.code === 'confirmation_required' && !isConfirmed) {
        isConfirmed = (await options.confirm?.(methodsIn(answer))) ?? false;
        if (isConfirmed) continue;
      }
      if (response.status < 500 && !mayRetry) keys.delete(operation);
      if (!response.ok) throw refusal(response, answer, options);
      return answer;
    }
  };

  const clientOf = (onStep?: OnStep) =>
    createApiClient({
      baseUrl: globalThis.location?.origin ?? 'http://localhost',
      fetch: async request => {
        const { pathname, search: query } = new URL(request.url);
        const text = await request.text();
        const ifMatch = request.headers.get('if-match');
        const path = `${pathname}${query}`;
        return Response.json(await call(request.method, path, text === '' ? undefined : text, ifMatch, onStep));
      },
    });
  return {
    client: clientOf(),
    stepwise: clientOf,
    post: (path, body) => call('POST', path, JSON.stringify(body), null),
    download: async (path, accept) => {
      const response = await fetch(path, {
        headers: { ...sessionHeaders(options), Accept: accept },
        signal: AbortSignal.timeout(downloadTimeoutMs),
        credentials: 'same-origin',
        cache: 'no-store',
        redirect: 'error',
      });
      if (response.ok) return response.blob();
      throw refusal(response, await readAnswer(response), options);
    },
    nowMs: () => Date.now() + offsetMs,
  };
}

/** The headers by which the server knows the session, and a person's project of this tab. */
export function sessionHeaders({ csrfToken, projectId }: Pick<ApiOptions, 'csrfToken' | 'projectId'>) {
  const project: Record<string, string> = typeof projectId === 'string' ? { 'X-Project-Id': projectId } : {};
  return { 'X-CSRF-Token': csrfToken(), ...project };
}

/** The error of an answer; says it when the session or the membership has ended. */
function refusal(response: Response, answer: Record<string, unknown>, options: ApiOptions): ApiProblem {
  // A passkey that is refused ends no session.
  if (response.status === 401 && answer.code !== 'sign_in_refused') options.signedOut();
  if (answer.code === 'not_a_member') options.notMember?.();
  return new ApiProblem(response.status, answer, response.headers.get('x-request-id'));
}

/** The body of a call by the typed client, which throws where the API answers with an error. */
export async function read<Data>(call: Promise<{ data?: Data }>): Promise<NonNullable<Data>> {
  const { data } = await call;
  if (data === undefined || data === null) throw new TypeError('the answer has no body');
  return data;
}

/** `Date` has one-second resolution, so differences under 2 s are ignored. An unreadable date keeps the old offset. */
export function measureOffset(date: string | null, beforeMs: number, nowMs: number): number {
  const offsetMs = Date.parse(date ?? '') + 500 - nowMs;
  if (Number.isNaN(offsetMs)) return beforeMs;
  return Math.abs(offsetMs) < 2000 ? 0 : offsetMs;
}

function methodsIn({ methods }: Record<string, unknown>): string[] {
  return Array.isArray(methods) ? methods.map(String) : [];
}

function isWithoutChange(path: string, body = ''): boolean {
  return changesNothing.test(path) || (path === '/v0/monitors/bulk' && /"dry_run":\s*true/.test(body));
}

/** `crypto.randomUUID` exists on https and localhost only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Runs at most `max` pieces of work at a time, the others in order. */
export function limitConcurrency(max: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = max;
  const waiting: (() => void)[] = [];
  return async work => {
    if (free === 0) await new Promise<void>(resolve => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
