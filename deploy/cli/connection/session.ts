import { type ApiClient, createApiClient } from '../../../control-plane/web/api-client/client.ts';
import { CommandError } from '../frame/failure.ts';
import { type ProblemBody, ProblemError } from './problem.ts';
import { type Sending, send } from './request.ts';
import type { Server } from './server.ts';

/** The API of one server, as one project. */
export type Session = {
  url: string;
  profile: string | null;
  client: ApiClient;
  /** A call whose answer is no JSON, or of a path that is not known before. Throws a ProblemError. */
  fetch(method: string, path: string, options?: { headers?: Record<string, string>; body?: string }): Promise<Response>;
};

export function openSession({ url, token, profile }: Server, sending: Sending): Session {
  const sent = (request: Request) => send(request, sending);
  return {
    url,
    profile,
    client: createApiClient({ baseUrl: url, token, fetch: sent }),
    fetch: async (method, path, { headers = {}, body } = {}) => {
      const target = new URL(path, url);
      if (target.origin !== url) throw new CommandError(`${path} is not a path of ${url}`);
      const request = new Request(target, {
        method,
        headers: { ...headers, Authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body }),
      });
      const response = await sent(request);
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
