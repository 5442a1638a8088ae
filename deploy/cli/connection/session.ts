import { type ApiClient, createApiClient } from '../../../control-plane/web/api-client/client.ts';
import { CommandError } from '../frame/failure.ts';
import { type ApiDocument, missingEndpoint } from './missing-endpoint.ts';
import { type ProblemBody, ProblemError } from './problem.ts';
import { type Sending, send } from './request.ts';
import type { Server } from './server.ts';

/** The API of one server, as one project. */
export type Session = {
  url: string;
  profile: string | null;
  client: ApiClient;
  /** A call whose answer is no JSON, or of a path that is not known before; exports can be read as they come. */
  fetch(method: string, path: string, options?: { headers?: Record<string, string>; body?: string }): Promise<Response>;
  /** A stream of events from after `lastId`, for as long as it lasts. */
  stream(path: string, lastId: string, signal: AbortSignal): Promise<Response>;
};

export function openSession({ url, token, profile }: Server, sending: Sending): Session {
  const signedIn = { Authorization: `Bearer ${token}` };
  const readDocument = async () => {
    const response = await send(new Request(new URL('/v0/openapi.json', url)), sending);
    return response.json().catch(() => null) as Promise<ApiDocument | null>;
  };
  const checked = async (request: Pick<Request, 'method' | 'url'>, response: Response): Promise<Response> => {
    const isMissing = response.status === 404 || response.status === 405;
    const missing = isMissing ? await missingEndpoint(request, readDocument) : null;
    if (missing !== null) throw missing;
    return response;
  };
  const sent = async (request: Request) => checked(request, await send(request, sending));
  return {
    url,
    profile,
    client: createApiClient({ baseUrl: url, token, fetch: sent }),
    fetch: async (method, path, { headers = {}, body } = {}) => {
      const target = new URL(path, url);
      if (target.origin !== url) throw new CommandError(`${path} is not a path of ${url}`);
      const request = new Request(target, {
        method,
        headers: { ...headers, ...signedIn },
        ...(body === undefined ? {} : { body }),
      });
      const response = await sent(request);
      if (!response.ok) throw await problemOf(response);
      return response;
    },
    stream: async (path, lastId, signal) => {
      const after = lastId === '' ? {} : { 'Last-Event-ID': lastId };
      const headers = { ...signedIn, ...after, Accept: 'text/event-stream' };
      const target = new URL(path, url);
      const answered = await fetch(target, { headers, redirect: 'error', signal });
      const response = await checked({ method: 'GET', url: target.href }, answered);
      if (!response.ok) throw await problemOf(response);
      return response;
    },
  };
}

type Result<Data> = { data?: Data; error?: unknown; response: Response };

/** The data of an answer. Throws a ProblemError if the server refused. */
export async function dataOf<Data>(call: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (response.ok) return data as Data;
  throw toProblem(response, error);
}

type Page<Item> = { data: readonly Item[]; pagination: { next_cursor: string | null } };

/** All items of a list, page by page. */
export async function itemsOf<Item>(
  page: (cursor: string | undefined) => Promise<Result<Page<Item>>>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const { data, pagination } = await dataOf(page(cursor));
    items.push(...data);
    cursor = pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** The query of a list: what was given of it, and the largest page. */
export function queryOf<Query extends object>(cursor: string | undefined, query: Query): Query & { limit: number } {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return { ...Object.fromEntries(given), limit: 200, ...(cursor === undefined ? {} : { cursor }) } as Query & {
    limit: number;
  };
}

/** What the server answered in place of what was asked for. */
async function problemOf(response: Response): Promise<CommandError> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  return toProblem(response, body);
}

function toProblem(response: Response, body: unknown): CommandError {
  if (typeof body === 'object' && body !== null && 'code' in body)
    return new ProblemError(response.status, body as ProblemBody);
  return new CommandError(
    `${new URL(response.url).origin} answered ${response.status}, and not as Upquorum does`,
    'Is the address that of an Upquorum server, without a proxy that answers for it?',
  );
}
