import { matchAddress } from '#control-plane/web/dashboard/app/session/match-address.ts';

/** A request that the page sent. */
export type Sent = {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  key: string | null;
  ifMatch: string | null;
};

/** An answer that is no success, or one that is not JSON. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A body, a Reply, an Error for a lost connection, or what makes one of them of the request. */
export type Answer = unknown | ((sent: Sent) => unknown);
/** By method and path: `GET /v0/monitors/{id}`. The last that matches counts. */
export type AnswerTable = Readonly<Record<string, Answer>>;

/** A problem as the API says it. */
export function problem(status: number, code: string, detail: string, more: object = {}): Reply {
  return new Reply(status, { status, code, detail, ...more }, { 'x-request-id': 'req_77' });
}

/** A refusal of fields, by their pointers. */
export function refusal(faults: Readonly<Record<string, string>>): Reply {
  const errors = Object.entries(faults).map(([name, detail]) => ({ pointer: `/${name}`, code: 'invalid', detail }));
  return problem(422, 'validation_failed', 'The request has faults', { errors });
}

export const lost = new TypeError('failed to fetch');
/** No answer, for as long as the page is open. */
export const pending = Symbol('pending');

/** One page of a list, the last one unless there is a cursor. */
export function list(data: readonly unknown[], cursor: string | null = null) {
  return { data, pagination: { has_more: cursor !== null, next_cursor: cursor } };
}

/** Answers like the server, without one. */
export function pageServer(answers: AnswerTable) {
  const sent: Sent[] = [];
  const unanswered: string[] = [];
  let table = answers;
  let running = 0;
  let send: (text: string) => void = () => {};
  const streamed = (signal: AbortSignal | undefined) => {
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
        send = text => controller.enqueue(new TextEncoder().encode(text));
        send('event: ready\ndata: {}\n\n');
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const fetch = async (address: string, options: RequestInit = {}): Promise<Response> => {
    const url = new URL(address, 'http://up.example');
    const method = options.method ?? 'GET';
    if (url.pathname === '/v0/changes' && !('GET /v0/changes' in table)) return streamed(options.signal ?? undefined);
    const request = {
      method,
      path: url.pathname,
      query: url.searchParams,
      body: typeof options.body === 'string' ? JSON.parse(options.body) : undefined,
      key: new Headers(options.headers).get('idempotency-key'),
      ifMatch: new Headers(options.headers).get('if-match'),
    };
    sent.push(request);
    if (findAnswer(table, request) === pending) return new Promise(() => {});
    running += 1;
    try {
      const answer = await find(table, request, () => unanswered.push(`${method} ${url.pathname}${url.search}`));
      if (answer instanceof Error) throw answer;
      return respond(answer instanceof Reply ? answer : new Reply(200, answer));
    } finally {
      running -= 1;
    }
  };
  return {
    fetch,
    sent,
    unanswered,
    /** The requests of a method to an address, such as `POST /v0/monitors`. */
    sentTo: (operation: string) => sent.filter(({ method, path }) => matches(operation, method, path)),
    isBusy: () => running > 0,
    change: (changes: AnswerTable) => {
      table = { ...table, ...changes };
    },
    /** Tells the page that something changed. */
    tell: (change: object) => send(`event: change\ndata: ${JSON.stringify(change)}\n\n`),
  };
}

function matches(operation: string, method: string, path: string): boolean {
  const [of = '', pattern = ''] = operation.split(' ');
  return of === method && matchAddress(pattern, path) !== null;
}

async function find(table: AnswerTable, request: Sent, onNone: () => void): Promise<unknown> {
  const answer = findAnswer(table, request);
  if (answer !== undefined) return typeof answer === 'function' ? answer(request) : answer;
  onNone();
  return problem(404, 'not_found', 'There is nothing at this address');
}

function findAnswer(table: AnswerTable, { method, path }: Sent): Answer {
  const operation = Object.keys(table).findLast(key => matches(key, method, path));
  return operation === undefined ? undefined : table[operation];
}

function respond({ status, body, headers }: Reply): Response {
  if (typeof body === 'string' || body === null || body instanceof ReadableStream)
    return new Response(body, { status, headers });
  return Response.json(body, { status, headers });
}
