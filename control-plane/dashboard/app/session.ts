import { ApiProblem } from './api.ts';

/** Who is signed in. */
export type Session = { csrf_token: string; expires_at: string; project_id: string; scopes: readonly string[] };

const address = '/dashboard/session';

/** Null when nobody is signed in. */
export async function readSession(): Promise<Session | null> {
  const answer = (await ask('GET')) as Session & { signed_in: boolean };
  return answer.signed_in ? answer : null;
}

/** Throws ApiProblem with the reason when the token is not accepted. */
export async function signIn(token: string): Promise<Session> {
  return (await ask('POST', { token })) as Session;
}

export async function signOut(session: Session): Promise<void> {
  await ask('DELETE', undefined, { 'X-CSRF-Token': session.csrf_token });
}

/** As the API decides: a `:write` holds its `:read`, `*` holds all. */
export function can(session: Session, scope: string): boolean {
  const { scopes } = session;
  return scopes.includes('*') || scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ':write'));
}

async function ask(method: string, body?: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(address, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.timeout(15_000),
  });
  const text = await response.text();
  const answer = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  if (!response.ok) throw new ApiProblem(response.status, answer);
  return answer;
}
