/** One wrong field, as the API names it. */
export type FieldError = { pointer?: string; parameter?: string; code: string; detail: string };

/** An answer that is no success: RFC 9457, in the API's own words. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldError[];
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>) {
    super(String(body.detail ?? body.title ?? `the answer was ${status}`));
    this.status = status;
    this.code = String(body.code ?? '');
    this.errors = Array.isArray(body.errors) ? (body.errors as FieldError[]) : [];
    this.body = body;
  }
}

export type List<Item> = { data: Item[]; pagination: { has_more: boolean; next_cursor: string | null } };
export type Query = Readonly<Record<string, string | number | null | undefined>>;

export type Api = {
  get<Answer>(path: string, query?: Query): Promise<Answer>;
  /** Every item of a list through its cursors, at most `max`. */
  all<Item>(path: string, query?: Query, max?: number): Promise<Item[]>;
  send<Answer>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer>;
  /** Now by the server's clock, as far as its answers tell: ages must not depend on this machine's clock. */
  nowMs(): number;
};

const atOnceMax = 6;
const attemptsMax = 8;
const timeoutMs = 15_000;
const pageLimit = 200;

/** The only way to the server. Waits when it is told to, and asks for few things at once. */
export function createApi(options: { csrfToken(): string; signedOut(): void }): Api {
  const slots = openSlots(atOnceMax);
  const keys = new Map<string, string>();
  let notBefore = 0;
  let offsetMs = 0;

  const once = async (
    method: string,
    path: string,
    body: string | undefined,
    key: string | null,
  ): Promise<Response> => {
    while (notBefore > Date.now()) await wait(notBefore - Date.now());
    const response = await fetch(path, {
      method,
      headers: {
        'X-CSRF-Token': options.csrfToken(),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(key === null ? {} : { 'Idempotency-Key': key }),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(timeoutMs),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
    offsetMs = measureOffset(response.headers.get('date'), offsetMs);
    return response;
  };

  const call = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sameRequest = `${path} ${text ?? ''}`;
    // Kept until an answer came: whoever tries again after a broken connection sends the same request, not a second one.
    const key = method === 'POST' ? (keys.get(sameRequest) ?? newKey()) : null;
    if (key !== null) keys.set(sameRequest, key);
    for (let attempt = 1; ; attempt++) {
      const response = await slots(() => once(method, path, text, key));
      const answer = await readAnswer(response);
      const again = response.status === 429 || codeOf(answer) === 'idempotency_in_progress';
      if (again && attempt < attemptsMax) {
        const seconds = Math.min(30, Number(response.headers.get('retry-after') ?? 1));
        notBefore = Math.max(notBefore, Date.now() + seconds * 1000);
        // Those who wait must not all come back at the same moment.
        await wait(seconds * 1000 * (1 + Math.random()));
        continue;
      }
      if (response.status < 500 && !again) keys.delete(sameRequest);
      if (response.status === 401) options.signedOut();
      if (!response.ok) throw new ApiProblem(response.status, answer as Record<string, unknown>);
      return answer as Answer;
    }
  };

  const get = <Answer>(path: string, query: Query = {}): Promise<Answer> => call('GET', `${path}${search(query)}`);
  return {
    get,
    all: async <Item>(path: string, query: Query = {}, max = 5000): Promise<Item[]> => {
      const items: Item[] = [];
      let cursor: string | null = null;
      do {
        const list: List<Item> = await get(path, { limit: pageLimit, ...query, cursor });
        items.push(...list.data);
        cursor = list.pagination.next_cursor;
      } while (cursor !== null && items.length < max);
      return items;
    },
    send: (method, path, body) => call(method, path, body),
    nowMs: () => Date.now() + offsetMs,
  };
}

/** The header tells whole seconds: a difference of two is no difference. */
function measureOffset(date: string | null, before: number): number {
  const offset = Date.parse(date ?? '') + 500 - Date.now();
  if (Number.isNaN(offset)) return before;
  return Math.abs(offset) < 2000 ? 0 : offset;
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return { detail: `the answer was ${response.status} and no JSON` };
  }
}

function codeOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null ? (answer as { code?: unknown }).code : undefined;
}

function search(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

/** `crypto.randomUUID` is there on https and localhost only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function openSlots(count: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let free = count;
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
