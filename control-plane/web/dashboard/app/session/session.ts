import { ApiProblem } from './api.ts';
import type { Kept } from './preferences.ts';

export type Role = 'viewer' | 'responder' | 'editor' | 'admin';

export type Person = {
  id: string;
  name: string;
  email: string | null;
  operator: boolean;
  /** What they chose; a server of before says nothing of it. */
  preferences?: Kept;
};

/** A project of a person, and what they may do in it. */
export type OwnProject = { id: string; name: string; role: Role; scopes: readonly string[] };

type Common = {
  csrf_token: string;
  expires_at: string;
  /** The ways to sign in that the server has; none where it is older. */
  methods?: readonly string[];
  oidc_name?: string | null;
  /** Where one signs out at the provider that the session came by. */
  logout_url?: string | null;
};

/** What the server says of a session: a token's has its project, a person's theirs, by a token that of the token. */
export type SignedIn =
  | (Common & { person: null; project_id: string; token_id: string; scopes: readonly string[] })
  | (Common & { person: Person; projects: readonly OwnProject[]; token_id?: string | null });

/** A session in the tab's project: of a person there with their role, or of a token. */
export type Session = Common & {
  project_id: string;
  token_id: string | null;
  scopes: readonly string[];
  person: Person | null;
  /** The person's project of the tab, and all of theirs; null and none for a token. */
  project: OwnProject | null;
  projects: readonly OwnProject[];
};

const address = '/dashboard/session';
const timeoutMs = 15_000;

/** Null when nobody is signed in. Throws when the server cannot be reached. */
export async function readSession(): Promise<SignedIn | null> {
  const answer = (await request('GET')) as SignedIn & { signed_in: boolean };
  return answer.signed_in ? answer : null;
}

/** Throws ApiProblem with the reason when the token is not accepted. */
export async function signIn(token: string): Promise<SignedIn> {
  return (await request('POST', { token })) as SignedIn;
}

export async function signOut(session: Pick<SignedIn, 'csrf_token'>): Promise<void> {
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
  return send(method, address, body, headers);
}

/** A request of somebody who signs in or out: it names no project. Throws ApiProblem for an error response. */
export async function send(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const response = await fetch(path, {
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
