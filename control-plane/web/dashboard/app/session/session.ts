import { ApiProblem } from './api.ts';

/** The session of the signed-in token. */
export type Session = {
  csrf_token: string;
  expires_at: string;
  project_id: string;
  token_id: string;
  scopes: readonly string[];
};

const address = '/dashboard/session';
const timeoutMs = 15_000;

/** Null when nobody is signed in. Throws when the server cannot be reached. */
export async function readSession(): Promise<Session | null> {
  const answer = (await request('GET')) as Session & { signed_in: boolean };
  return answer.signed_in ? answer : null;
}

/** Throws ApiProblem with the reason when the token is not accepted. */
export async function signIn(token: string): Promise<Session> {
  return (await request('POST', { token })) as Session;
}

export async function signOut(session: Session): Promise<void> {
  await request('DELETE', undefined, { 'X-CSRF-Token': session.csrf_token });
}

/** The API's rule: a `:write` scope includes its `:read`, but for events and users; `*` is all but the operator's. */
export function can({ scopes }: Pick<Session, 'scopes'>, scope: string): boolean {
  const writeScope = ['events:read', 'users:read'].includes(scope) ? scope : scope.replace(/:read$/, ':write');
  const isWhole = scopes.includes('*') && scope !== 'agents:operate';
  return isWhole || scopes.includes(scope) || scopes.includes(writeScope);
}

export function isReadOnly({ scopes }: Pick<Session, 'scopes'>): boolean {
  return !scopes.some(scope => scope === '*' || scope.endsWith(':write'));
}

async function request(method: string, body?: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(address, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const answer = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  if (!response.ok) throw new ApiProblem(response.status, answer);
  return answer;
}
